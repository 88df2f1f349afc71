import type { RepositoryFacts, RepositoryRef } from '../../types.ts';
import type { GitHub } from '../github.ts';
import { RefAnswer, RepositoryAnswer } from '../schema.ts';

/** Facts and the default branch's head; null when the repository is gone, or another one has its name now. */
export async function readRepository(
  { client, webUrl }: GitHub,
  ref: RepositoryRef,
  signal: AbortSignal,
): Promise<RepositoryFacts | null> {
  const scope = { ref, use: 'facts' } as const;
  const found = await client.read(RepositoryAnswer, { ...scope, route: 'GET /repos/{owner}/{repo}' }, signal);
  if (found === null || found.id !== ref.id) return null;
  const route = 'GET /repos/{owner}/{repo}/git/ref/{+ref}';
  // Each part on its own: a `#` in a branch's name must not cut the address short.
  const branch = found.default_branch.split('/').map(encodeURIComponent).join('/');
  // 409 is GitHub's word for an empty repository.
  const asked = { ...scope, route, parameters: { ref: `heads/${branch}` }, expect: [409] };
  const head = await client.read(RefAnswer, asked, signal);
  return {
    ref: { ...ref, owner: found.owner.login, name: found.name },
    defaultBranch: found.default_branch,
    head: head?.object.sha ?? null,
    archived: found.archived,
    disabled: found.disabled,
    webUrl: `${webUrl}/${found.owner.login}/${found.name}`,
  };
}
