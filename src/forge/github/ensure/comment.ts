import type { CommentRequest, RepositoryRef } from '../../types.ts';
import type { GitHub } from '../github.ts';
import { eachComment } from '../read/comments.ts';
import { goneFault } from '../rest/client.ts';
import { parseAnswer } from '../rest/parse-answer.ts';
import { CommentAnswer } from '../schema.ts';
import { lookActLook } from './look-act-look.ts';

const Created = CommentAnswer.pick({ id: true });

/** A status comment is edited every few seconds: where ours are is remembered, so that not all comments are read each time. */
export interface KnownComments {
  get(key: string): Known | undefined;
  set(key: string, known: Known): void;
  delete(key: string): void;
}

interface Known {
  readonly id: number;
  readonly body: string;
}

const MAX_KNOWN = 1_000;

export function createKnownComments(): KnownComments {
  const known = new Map<string, Known>();
  return {
    get: (key) => known.get(key),
    delete: (key) => void known.delete(key),
    set(key, value) {
      known.delete(key);
      known.set(key, value);
      const [oldest] = known.keys();
      if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
    },
  };
}

export interface CommentPlace {
  readonly ref: RepositoryRef;
  readonly issue: number;
  readonly comment: CommentRequest;
}

/** The one comment with the marker among our own; edited only when it differs. Others' comments are never taken for ours. */
export async function ensureComment(
  github: GitHub,
  { ref, issue, comment }: CommentPlace,
  signal: AbortSignal,
): Promise<{ readonly webUrl: string }> {
  const us = await github.identity(signal);
  const sign = `<!-- tadpole:${comment.marker} -->`;
  const body = `${comment.body}\n\n${sign}`;
  const key = `${ref.id}:${issue}:${comment.marker}`;
  const remember = (id: number) => {
    github.comments.set(key, { id, body });
    return id;
  };

  /** Null when it was deleted meanwhile. */
  const bringUpToDate = async (known: Known): Promise<number | null> => {
    if (known.body !== body && !(await edit(github, { ref, id: known.id, body }, signal))) {
      github.comments.delete(key);
      return null;
    }
    return remember(known.id);
  };
  const look = async (): Promise<number | null> => {
    const known = github.comments.get(key);
    const kept = known && (await bringUpToDate(known));
    if (kept) return kept;
    for await (const found of eachComment(github, { ref, issue, use: 'talk', page: 1 }, signal))
      if (found.author.login === us.login && found.body.trimEnd().endsWith(sign)) return bringUpToDate(found);
    return null;
  };
  const act = async () => {
    const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
    const parameters = { issue_number: issue, body };
    const answer = await github.client.call({ ref, use: 'talk', route, parameters }, signal);
    if (answer === null) throw goneFault(route);
    return { made: remember(parseAnswer(Created, answer.data, route).id) };
  };
  const id = await lookActLook({ look, act }, { pause: github.pause, signal });
  return { webUrl: `${github.webUrl}/${ref.owner}/${ref.name}/issues/${issue}#issuecomment-${id}` };
}

/** False when the comment is gone. */
async function edit(
  { client }: GitHub,
  { ref, id, body }: { readonly ref: RepositoryRef; readonly id: number; readonly body: string },
  signal: AbortSignal,
): Promise<boolean> {
  const route = 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}';
  const answer = await client.call({ ref, use: 'talk', route, parameters: { comment_id: id, body } }, signal);
  return answer !== null;
}
