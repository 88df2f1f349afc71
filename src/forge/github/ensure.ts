import { z } from 'zod';
import { fault, toFault } from '../../errors.ts';
import type { CheckRequest, CommentRequest, Draft, DraftRequest, RepositoryRef } from '../types.ts';
import type { Answer, RestCall } from './client.ts';
import type { GitHub } from './github.ts';
import { eachComment } from './read.ts';
import { CheckRunsAnswer, CommentAnswer, PullAnswer } from './schema.ts';

const TRIES = 3;

/**
 * Look, act, look: a write whose answer was lost is not repeated but looked up, so that it is done once (case E11).
 * `look` resolves to null while the thing is not there, and brings what is there up to date.
 */
async function ensure<T>(look: () => Promise<T | null>, act: () => Promise<T | null>): Promise<T> {
  for (let turn = 1; ; turn += 1) {
    const found = await look();
    if (found !== null) return found;
    try {
      const made = await act();
      if (made !== null) return made;
    } catch (thrown) {
      const failure = toFault(thrown);
      if (failure.code !== 'forge_unavailable' || turn >= TRIES) throw failure;
    }
    if (turn >= TRIES)
      throw fault('forge_answer_invalid', {
        detail: 'the forge neither made nor showed what was asked of it',
      });
  }
}

const report = (
  { client }: GitHub,
  ref: RepositoryRef,
  request: RestCall,
  signal: AbortSignal,
): Promise<Answer | null> => client.call(ref, 'report', request, signal);

const toMarker = (marker: string) => `<!-- tadpole:${marker} -->`;

/** The one comment with the marker among our own; edited only when it differs. */
export async function ensureComment(
  github: GitHub,
  {
    ref,
    issue,
    comment,
  }: { readonly ref: RepositoryRef; readonly issue: number; readonly comment: CommentRequest },
  signal: AbortSignal,
): Promise<{ readonly webUrl: string }> {
  const us = await github.identity(signal);
  const body = `${comment.body}\n\n${toMarker(comment.marker)}`;
  const toPlace = (id: number) => ({
    webUrl: `${github.webUrl}/${ref.owner}/${ref.name}/issues/${issue}#issuecomment-${id}`,
  });
  const look = async () => {
    for await (const found of eachComment(github, { ref, issue, use: 'report', page: 1 }, signal)) {
      if (found.author.login !== us.login || !found.body.trimEnd().endsWith(toMarker(comment.marker)))
        continue;
      if (found.body !== body) await edit(found.id);
      return toPlace(found.id);
    }
    return null;
  };
  const edit = (id: number) => {
    const route = 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}';
    return report(github, ref, { route, parameters: { comment_id: id, body } }, signal);
  };
  return ensure(look, async () => {
    const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
    const answer = await report(github, ref, { route, parameters: { issue_number: issue, body } }, signal);
    return answer && toPlace(CommentAnswer.pick({ id: true }).parse(answer.data).id);
  });
}

/** Takes the label off; absent already is fine. */
export async function ensureLabelRemoved(
  github: GitHub,
  { ref, issue, label }: { readonly ref: RepositoryRef; readonly issue: number; readonly label: string },
  signal: AbortSignal,
): Promise<void> {
  const route = 'DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}';
  await report(github, ref, { route, parameters: { issue_number: issue, name: label } }, signal);
}

/** The one open pull request for head and base, as a draft, with this title and body. */
export async function ensureDraft(
  github: GitHub,
  { ref, draft }: { readonly ref: RepositoryRef; readonly draft: DraftRequest },
  signal: AbortSignal,
): Promise<Draft> {
  const { head, base, title, body } = draft;
  const toDraft = (number: number, created: boolean): Draft => ({
    number,
    created,
    webUrl: `${github.webUrl}/${ref.owner}/${ref.name}/pull/${number}`,
  });
  const look = async () => {
    const parameters = { head: `${ref.owner}:${head}`, base, state: 'open' };
    const answer = await report(
      github,
      ref,
      { route: 'GET /repos/{owner}/{repo}/pulls', parameters },
      signal,
    );
    const [found] = z.array(PullAnswer).parse(answer?.data ?? []);
    if (!found) return null;
    if (found.title !== title || found.body !== body) {
      const edit = { pull_number: found.number, title, body };
      await report(
        github,
        ref,
        { route: 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}', parameters: edit },
        signal,
      );
    }
    return toDraft(found.number, false);
  };
  return ensure(look, async () => {
    const parameters = { head, base, title, body, draft: true, maintainer_can_modify: false };
    // 422: there is one already; the next look finds it.
    const answer = await report(
      github,
      ref,
      { route: 'POST /repos/{owner}/{repo}/pulls', parameters, expect: [422] },
      signal,
    );
    if (answer?.status !== 201) return null;
    const made = PullAnswer.parse(answer.data);
    if (!made.draft)
      throw fault('forge_answer_invalid', {
        detail: `pull request ${made.number} was asked for as a draft and is none`,
      });
    return toDraft(made.number, true);
  });
}

/** The one check run of this name on the commit. */
export async function ensureCheck(
  github: GitHub,
  { ref, check }: { readonly ref: RepositoryRef; readonly check: CheckRequest },
  signal: AbortSignal,
): Promise<void> {
  const { commit, name, conclusion, title, summary } = check;
  const content = { name, status: 'completed', conclusion, output: { title, summary } };
  const look = async () => {
    const parameters = { ref: commit, check_name: name };
    const route = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs';
    const [found] = CheckRunsAnswer.parse(
      (await report(github, ref, { route, parameters }, signal))?.data ?? { check_runs: [] },
    ).check_runs;
    if (!found) return null;
    const edit = { check_run_id: found.id, ...content };
    await report(
      github,
      ref,
      { route: 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', parameters: edit },
      signal,
    );
    return true;
  };
  await ensure(look, async () => {
    const parameters = { head_sha: commit, ...content };
    return (
      (await report(github, ref, { route: 'POST /repos/{owner}/{repo}/check-runs', parameters }, signal)) &&
      true
    );
  });
}
