import type { RepositoryRef } from '../../types.ts';
import type { GitHub } from '../github.ts';
import { parseAnswer } from '../rest/parse-answer.ts';
import { InstallationAnswer } from '../schema.ts';
import { missingPermissions, neededPermissions } from '../token-uses.ts';

/** What the repository's installation has not accepted of what the App needs; empty when the installation is gone. */
export async function readMissingPermissions(
  { client }: GitHub,
  ref: RepositoryRef,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const route = 'GET /repos/{owner}/{repo}/installation';
  const parameters = { owner: ref.owner, repo: ref.name };
  const answer = await client.callAsApp({ route, parameters, expect: [404] }, signal);
  // A redirect means a renamed repository: what its tokens may do shows when they are asked for.
  if (answer.status !== 200) return [];
  return missingPermissions(
    neededPermissions(),
    parseAnswer(InstallationAnswer, answer.data, route).permissions,
  );
}
