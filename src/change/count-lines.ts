import { fault } from '../errors.ts';
import { type BytePath, decodePath } from '../git/tree.ts';
import { zeroSeparated } from '../git/zero-separated.ts';
import type { Git } from '../git.ts';
import type { FileChange } from '../run/types.ts';
import type { Edit } from './types.ts';

interface Trees {
  readonly repository: string;
  readonly base: string;
  readonly tree: string;
}

interface CallOptions {
  readonly signal: AbortSignal;
}

type Lines = Pick<FileChange, 'additions' | 'deletions'>;

const NUMSTAT = /^(?<additions>\d+|-)\t(?<deletions>\d+|-)\t(?<path>.+)$/s;

/** Flags that pass over blank lines and what stands at the ends of lines. */
const NO_WHITESPACE = ['--ignore-space-at-eol', '--ignore-cr-at-eol', '--ignore-blank-lines'];

/** The edits with their line counts. Fault `internal` unless the two trees differ in exactly the edited files. */
export async function countLines(
  git: Git,
  { edits, ...trees }: Trees & { readonly edits: readonly Edit[] },
  { signal }: CallOptions,
): Promise<readonly FileChange[]> {
  const lines = await numstat(git, { ...trees, flags: [] }, { signal });
  const differ = lines.size !== edits.length || edits.some(({ path }) => !lines.has(path));
  if (differ) throw fault('internal', { detail: 'the written tree differs from the judged change' });
  return edits.map(({ path, kind, oldMode, newMode }) => ({
    path: decodePath(path) ?? path,
    kind,
    oldMode,
    newMode,
    additions: lines.get(path)?.additions ?? null,
    deletions: lines.get(path)?.deletions ?? null,
  }));
}

/** True when nothing but blank lines and the ends of lines differ (case E04). */
export async function isWhitespaceOnly(
  git: Git,
  { edits, ...trees }: Trees & { readonly edits: readonly Edit[] },
  { signal }: CallOptions,
): Promise<boolean> {
  if (edits.some(({ kind, oldMode, newMode }) => kind !== 'modified' || oldMode !== newMode)) return false;
  const lines = await numstat(git, { ...trees, flags: NO_WHITESPACE }, { signal });
  return [...lines.values()].every(({ additions, deletions }) => additions === 0 && deletions === 0);
}

async function numstat(
  git: Git,
  { repository, base, tree, flags }: Trees & { readonly flags: readonly string[] },
  { signal }: CallOptions,
): Promise<ReadonlyMap<BytePath, Lines>> {
  const fixed = [
    '-r',
    '-z',
    '--numstat',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
    '--diff-algorithm=myers',
  ];
  const output = git.stream(
    { cwd: repository, args: ['diff-tree', ...fixed, ...flags, '--end-of-options', base, tree] },
    { signal },
  );
  const lines = new Map<BytePath, Lines>();
  for await (const line of zeroSeparated(output)) {
    const { additions, deletions, path } = NUMSTAT.exec(line)?.groups ?? {};
    if (path === undefined) throw fault('internal', { detail: 'git counted lines in an unknown form' });
    lines.set(path, { additions: toCount(additions), deletions: toCount(deletions) });
  }
  return lines;
}

function toCount(text: string | undefined): number | null {
  return text === undefined || text === '-' ? null : Number(text);
}
