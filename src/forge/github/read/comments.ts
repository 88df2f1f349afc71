import { z } from 'zod';
import type { Comment, RepositoryRef } from '../../types.ts';
import { toActor } from '../convert.ts';
import type { GitHub } from '../github.ts';
import { CommentAnswer } from '../schema.ts';

export const PAGE = 100;
/** GitHub locks issues far earlier; a forge that never ends its list must not keep us for ever. */
const MAX_PAGES = 100;

export interface CommentsQuery {
  readonly ref: RepositoryRef;
  readonly issue: number;
  readonly use: 'facts' | 'talk';
  /** Page to begin with, counted from 1. */
  readonly page: number;
}

/** Every comment from a page on, in order of creation. Pages are counted here: links in answers are not followed (T37). */
export async function* eachComment(
  { client }: GitHub,
  { ref, issue, use, page }: CommentsQuery,
  signal: AbortSignal,
): AsyncGenerator<Comment> {
  const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
  for (let number = page; number < page + MAX_PAGES; number += 1) {
    const parameters = { issue_number: issue, per_page: PAGE, page: number };
    const found = (await client.read(z.array(CommentAnswer), { ref, use, route, parameters }, signal)) ?? [];
    for (const { id, body, user, created_at, updated_at } of found)
      yield { id, author: toActor(user), body: body ?? '', createdAt: created_at, updatedAt: updated_at };
    if (found.length < PAGE) return;
  }
}
