import { z } from 'zod';
import { fault } from '../../../errors.ts';
import type { Draft, DraftRequest, RepositoryRef } from '../../types.ts';
import type { GitHub } from '../github.ts';
import { goneFault } from '../rest/client.ts';
import { parseAnswer } from '../rest/parse-answer.ts';
import { PullAnswer } from '../schema.ts';
import { lookActLook, type Made } from './look-act-look.ts';

interface Place {
  readonly ref: RepositoryRef;
  readonly draft: DraftRequest;
}

type Found = Pick<Draft, 'number' | 'created'>;

/**
 * The one pull request for head and base, as a draft, with this title and body. One that people have closed meanwhile is
 * this run's as well and stays closed: the branch is this run's alone, so a second one would be a double.
 */
export async function ensureDraft(github: GitHub, place: Place, signal: AbortSignal): Promise<Draft> {
  const steps = { look: () => look(github, place, signal), act: () => act(github, place, signal) };
  const found = await lookActLook<Found>(steps, { pause: github.pause, signal });
  const { owner, name } = place.ref;
  return { ...found, webUrl: `${github.webUrl}/${owner}/${name}/pull/${found.number}` };
}

async function look({ client }: GitHub, { ref, draft }: Place, signal: AbortSignal): Promise<Found | null> {
  const { head, base, title, body } = draft;
  const scope = { ref, use: 'draft' } as const;
  const route = 'GET /repos/{owner}/{repo}/pulls';
  const parameters = { head: `${ref.owner}:${head}`, base, state: 'all' };
  const [found] = (await client.read(z.array(PullAnswer), { ...scope, route, parameters }, signal)) ?? [];
  if (!found) return null;
  if (found.title !== title || found.body !== body) {
    const edit = { pull_number: found.number, title, body };
    await client.call(
      { ...scope, route: 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}', parameters: edit },
      signal,
    );
  }
  return { number: found.number, created: false };
}

async function act(github: GitHub, { ref, draft }: Place, signal: AbortSignal): Promise<Made<Found>> {
  const route = 'POST /repos/{owner}/{repo}/pulls';
  const parameters = { ...draft, draft: true, maintainer_can_modify: false };
  // 422: there is one already, which the next look finds; or the forge has another reason, which is told.
  const answer = await github.client.call({ ref, use: 'draft', route, parameters, expect: [422] }, signal);
  if (answer === null) throw goneFault(route);
  if (answer.status === 422) return { refused: `${route}: the forge refused the draft (${answer.said})` };
  const made = parseAnswer(PullAnswer, answer.data, route);
  if (!made.draft) return closeNonDraft(github, { ref, number: made.number }, signal);
  return { made: { number: made.number, created: true } };
}

/** What was asked for as a draft and is none could be merged by accident, so it does not stay open. */
async function closeNonDraft(
  { client }: GitHub,
  { ref, number }: { readonly ref: RepositoryRef; readonly number: number },
  signal: AbortSignal,
): Promise<never> {
  const route = 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}';
  await client.call(
    { ref, use: 'draft', route, parameters: { pull_number: number, state: 'closed' } },
    signal,
  );
  const detail = `pull request ${number} was asked for as a draft and was made without being one; it was closed`;
  throw fault('forge_answer_invalid', { detail, publicDetail: 'draft pull requests are not available here' });
}
