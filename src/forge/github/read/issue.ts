import type { Comment, Issue, RepositoryRef } from '../../types.ts';
import { toActor } from '../convert.ts';
import type { GitHub } from '../github.ts';
import { IssueAnswer } from '../schema.ts';
import { eachComment, PAGE } from './comments.ts';

const MAX_COMMENTS = 200;

/** An issue with the newest of its comments, in order. */
export async function readIssue(
  github: GitHub,
  { ref, number }: { readonly ref: RepositoryRef; readonly number: number },
  signal: AbortSignal,
): Promise<Issue | null> {
  const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
  const asked = { ref, use: 'facts', route, parameters: { issue_number: number } } as const;
  const found = await github.client.read(IssueAnswer, asked, signal);
  if (found === null || found.number !== number) return null;
  const { comments, omitted } = await readNewest(
    github,
    { ref, issue: number, total: found.comments },
    signal,
  );
  return {
    number,
    title: found.title,
    body: found.body ?? '',
    state: found.state === 'open' ? 'open' : 'closed',
    author: toActor(found.user),
    createdAt: found.created_at,
    updatedAt: found.updated_at,
    labels: found.labels,
    isPullRequest: found.pull_request !== undefined && found.pull_request !== null,
    webUrl: `${github.webUrl}/${ref.owner}/${ref.name}/issues/${number}`,
    comments,
    commentsOmitted: omitted,
  };
}

async function readNewest(
  github: GitHub,
  { total, ...where }: { readonly ref: RepositoryRef; readonly issue: number; readonly total: number },
  signal: AbortSignal,
): Promise<{ readonly comments: readonly Comment[]; readonly omitted: number }> {
  const page = Math.max(1, Math.ceil(total / PAGE) - MAX_COMMENTS / PAGE);
  const all: Comment[] = [];
  for await (const comment of eachComment(github, { ...where, use: 'facts', page }, signal))
    all.push(comment);
  const comments = all.slice(-MAX_COMMENTS);
  return { comments, omitted: (page - 1) * PAGE + all.length - comments.length };
}
