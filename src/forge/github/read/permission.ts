import type { Permission, RepositoryRef } from '../../types.ts';
import { toPermission } from '../convert.ts';
import type { GitHub } from '../github.ts';
import { PermissionAnswer } from '../schema.ts';

/** What a person may do in the repository now; `none` for whom the forge does not know. */
export async function readPermission(
  { client }: GitHub,
  { ref, login }: { readonly ref: RepositoryRef; readonly login: string },
  signal: AbortSignal,
): Promise<Permission> {
  const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
  const asked = { ref, use: 'facts', route, parameters: { username: login } } as const;
  const found = await client.read(PermissionAnswer, asked, signal);
  return found === null ? 'none' : toPermission(found);
}
