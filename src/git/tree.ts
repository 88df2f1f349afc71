import { fault } from '../errors.ts';
import type { Git } from '../git.ts';
import { zeroSeparated } from './zero-separated.ts';

/** A path as git has it: bytes, one UTF-16 unit each (Latin-1). `decodePath` makes text of it where it is text. */
export type BytePath = string;

export interface TreeEntry {
  /** `100644`, `100755`, `120000` (symlink) or `160000` (submodule); old repositories have a few more. */
  readonly mode: string;
  readonly id: string;
  /** Size of the blob; 0 for a submodule. */
  readonly bytes: number;
}

/** Every file of a tree, by its whole path. */
export type Tree = ReadonlyMap<BytePath, TreeEntry>;

export interface TreeCaps {
  readonly files: number;
  /** Sum of all blobs as they lie in a work tree. */
  readonly bytes: number;
}

/** A work tree of this size still fits a sandbox; a tree of shared trees (a "git bomb") ends here too. */
export const DEFAULT_TREE_CAPS: TreeCaps = { files: 250_000, bytes: 4 * 1024 ** 3 };

const ENTRY = /^(?<mode>[0-7]{6}) (?:blob|commit) (?<id>[0-9a-f]{40}) +(?<bytes>\d+|-)\t(?<path>.+)$/s;

/** Reads a tree from a bare repository. Fault `repository_too_large` over the caps. */
export async function readTree(
  git: Git,
  {
    cwd,
    tree,
    caps = DEFAULT_TREE_CAPS,
  }: { readonly cwd: string; readonly tree: string; readonly caps?: TreeCaps },
  { signal }: { readonly signal: AbortSignal },
): Promise<Tree> {
  const entries = new Map<BytePath, TreeEntry>();
  let total = 0;
  const listing = git.stream(
    { cwd, args: ['ls-tree', '-r', '-l', '-z', '--full-tree', '--end-of-options', tree] },
    { signal },
  );
  for await (const line of zeroSeparated(listing)) {
    const { mode, id, bytes, path } = ENTRY.exec(line)?.groups ?? {};
    if (mode === undefined || id === undefined || path === undefined)
      throw fault('repository_invalid', { detail: 'git listed a tree entry of an unknown form' });
    const size = bytes === '-' ? 0 : Number(bytes);
    entries.set(path, { mode, id, bytes: size });
    total += size;
    if (entries.size > caps.files || total > caps.bytes) {
      const detail = `the base tree has more than ${caps.files} files or ${caps.bytes} bytes`;
      throw fault('repository_too_large', { detail });
    }
  }
  return entries;
}

/** The path as text; null when its bytes are not UTF-8. */
export function decodePath(path: BytePath): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(path, 'latin1'));
  } catch {
    return null;
  }
}
