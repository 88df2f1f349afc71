import { z } from 'zod';
import type { Actor, Comment, Issue, RepositoryFacts, RepositoryRef } from '../types.ts';
import type { GitHub } from './github.ts';
import { CommentAnswer, ContentAnswer, IssueAnswer, RefAnswer, Repository, type User } from './schema.ts';

const PAGE = 100;
const MAX_COMMENTS = 200;

/** Facts and the default branch's head; null when the repository is gone. */
export async function readRepository(
  { client, webUrl }: GitHub,
  ref: RepositoryRef,
  signal: AbortSignal,
): Promise<RepositoryFacts | null> {
  const answer = await client.call(ref, 'facts', { route: 'GET /repos/{owner}/{repo}' }, signal);
  if (!answer) return null;
  const found = Repository.parse(answer.data);
  const head = await client.call(
    ref,
    'facts',
    // 409: the repository is empty.
    {
      route: 'GET /repos/{owner}/{repo}/git/ref/{+ref}',
      parameters: { ref: `heads/${found.default_branch}` },
      expect: [409],
    },
    signal,
  );
  return {
    ref: { ...ref, owner: found.owner.login, name: found.name },
    defaultBranch: found.default_branch,
    head: head?.status === 200 ? RefAnswer.parse(head.data).object.sha : null,
    archived: found.archived,
    disabled: found.disabled,
    webUrl: `${webUrl}/${found.owner.login}/${found.name}`,
  };
}

/** An issue with the newest of its comments, in order. */
export async function readIssue(
  github: GitHub,
  { ref, number }: { readonly ref: RepositoryRef; readonly number: number },
  signal: AbortSignal,
): Promise<Issue | null> {
  const parameters = { issue_number: number };
  const answer = await github.client.call(
    ref,
    'facts',
    { route: 'GET /repos/{owner}/{repo}/issues/{issue_number}', parameters },
    signal,
  );
  if (!answer) return null;
  const found = IssueAnswer.parse(answer.data);
  const { comments, omitted } = await readComments(github, { ref, number, total: found.comments }, signal);
  return {
    number: found.number,
    title: found.title,
    body: found.body ?? '',
    state: found.state === 'open' ? 'open' : 'closed',
    author: toActor(found.user),
    createdAt: found.created_at,
    updatedAt: found.updated_at,
    labels: found.labels,
    isPullRequest: found.pull_request !== undefined && found.pull_request !== null,
    webUrl: `${github.webUrl}/${ref.owner}/${ref.name}/issues/${found.number}`,
    comments,
    commentsOmitted: omitted,
  };
}

async function readComments(
  github: GitHub,
  { ref, number, total }: { readonly ref: RepositoryRef; readonly number: number; readonly total: number },
  signal: AbortSignal,
) {
  const first = Math.max(1, Math.ceil(total / PAGE) - MAX_COMMENTS / PAGE + 1);
  const all: Comment[] = [];
  for await (const comment of eachComment(github, { ref, issue: number, use: 'facts', page: first }, signal))
    all.push(comment);
  const comments = all.slice(-MAX_COMMENTS);
  return { comments, omitted: (first - 1) * PAGE + all.length - comments.length };
}

/** Every comment from a page on, in order of creation. */
export async function* eachComment(
  { client }: GitHub,
  {
    ref,
    issue,
    use,
    page,
  }: {
    readonly ref: RepositoryRef;
    readonly issue: number;
    readonly use: 'facts' | 'report';
    readonly page: number;
  },
  signal: AbortSignal,
): AsyncGenerator<Comment> {
  const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
  for (let number = page; ; number += 1) {
    const parameters = { issue_number: issue, per_page: PAGE, page: number };
    const answer = await client.call(ref, use, { route, parameters }, signal);
    const found = z.array(CommentAnswer).parse(answer?.data ?? []);
    for (const { id, body, user, created_at, updated_at } of found)
      yield { id, author: toActor(user), body: body ?? '', createdAt: created_at, updatedAt: updated_at };
    if (found.length < PAGE) return;
  }
}

const MAX_FILE_BYTES = 1024 * 1024;

/** A text file at a commit; null when absent, a folder, or larger than 1 MiB. */
export async function readFile(
  { client }: GitHub,
  { ref, path, commit }: { readonly ref: RepositoryRef; readonly path: string; readonly commit: string },
  signal: AbortSignal,
): Promise<string | null> {
  const parameters = { path, ref: commit };
  const answer = await client.call(
    ref,
    'facts',
    { route: 'GET /repos/{owner}/{repo}/contents/{+path}', parameters },
    signal,
  );
  const file = ContentAnswer.safeParse(answer?.data);
  if (!file.success) return null;
  const bytes = Buffer.from(file.data.content, 'base64');
  return bytes.length > MAX_FILE_BYTES ? null : bytes.toString('utf8');
}

function toActor({ id, login, type }: z.output<typeof User>): Actor {
  return { id, login, kind: type === 'Bot' || login.endsWith('[bot]') ? 'bot' : 'user' };
}
