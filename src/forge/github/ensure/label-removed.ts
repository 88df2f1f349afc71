import type { RepositoryRef } from '../../types.ts';
import type { GitHub } from '../github.ts';

/** Takes the label off. Off already, or the issue is gone: that is as it should be. */
export async function ensureLabelRemoved(
  { client }: GitHub,
  { ref, issue, label }: { readonly ref: RepositoryRef; readonly issue: number; readonly label: string },
  signal: AbortSignal,
): Promise<void> {
  const route = 'DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}';
  await client.call({ ref, use: 'talk', route, parameters: { issue_number: issue, name: label } }, signal);
}
