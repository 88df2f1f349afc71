import path from 'node:path';
import type { Git } from '../git.ts';
import type { Edit } from './types.ts';

interface CallOptions {
  readonly signal: AbortSignal;
}

const NO_OBJECT = '0'.repeat(40);

/**
 * Makes the tree of base and edits in a bare repository by an index of its own; no file is written but objects.
 * Resolves to the tree's id. git checks the names once more and refuses what `core.protectHFS`/`NTFS` refuse.
 */
export async function writeTree(
  git: Git,
  {
    repository,
    base,
    edits,
  }: { readonly repository: string; readonly base: string; readonly edits: readonly Edit[] },
  { signal }: CallOptions,
): Promise<string> {
  const env = { GIT_INDEX_FILE: path.join(repository, 'change.index') };
  const call = { cwd: repository, env };
  await git.run({ ...call, args: ['read-tree', '--end-of-options', base] }, { signal });
  // Deletions first: a file may have become a folder, or the other way round.
  const lines = [...edits.filter(({ blob }) => !blob), ...edits.filter(({ blob }) => blob)].map(
    ({ path: name, newMode, blob }) => `${newMode ?? '0'} ${blob?.id ?? NO_OBJECT}\t${name}\0`,
  );
  await git.run(
    { ...call, args: ['update-index', '-z', '--index-info'], stdin: Buffer.from(lines.join(''), 'latin1') },
    { signal },
  );
  const written = await git.run({ ...call, args: ['write-tree'] }, { signal });
  return written.stdout.toString('latin1').trim();
}

/** A pack of what `tree` has and `base` lacks, streamed. */
export function packTree(
  git: Git,
  { repository, tree, base }: { readonly repository: string; readonly tree: string; readonly base: string },
  { signal }: CallOptions,
): AsyncIterable<Uint8Array> {
  return git.stream(
    {
      cwd: repository,
      args: ['pack-objects', '--quiet', '--stdout', '--revs', '--threads=1'],
      stdin: Buffer.from(`${tree}\n^${base}\n`),
    },
    { signal },
  );
}
