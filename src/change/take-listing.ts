import type { Tree } from '../git/tree.ts';
import { unguessableName } from '../git/unguessable-name.ts';
import { printableBytes } from '../printable.ts';
import type { Sandbox } from '../sandbox/types.ts';
import { listArgv } from './list-script.ts';
import { parseListing, unsteady } from './listing.ts';
import type { ChangeCaps, Listing } from './types.ts';

const TIMEOUT_MS = 10 * 60_000;
/** Room for a path, its id and its fields, generously. */
const BYTES_PER_FILE = 512;

/** What came of asking: a listing, or why there can be none. */
export type Taken =
  | { readonly kind: 'listed'; readonly listing: Listing }
  | { readonly kind: 'too_many' }
  | { readonly kind: 'unreadable'; readonly said: string };

/**
 * Asks the sandbox for its work tree. What the agent is to blame for (too many files, unreadable folders, rules that never
 * end) is a value; faults are the sandbox's, and `sandbox_transfer_failed` for an answer that does not hold together.
 */
export async function takeListing(
  sandbox: Pick<Sandbox, 'exec'>,
  { base, caps }: { readonly base: Tree; readonly caps: ChangeCaps },
  { signal }: { readonly signal: AbortSignal },
): Promise<Taken> {
  const scratchName = unguessableName('change');
  const maxHashedBytes = largestOf(base, caps.fileBytes);
  const limit = caps.listedFiles * BYTES_PER_FILE;
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const call = {
    id: scratchName,
    argv: listArgv({ scratchName, maxHashedBytes, tracks: folderLookup(base) }),
    timeoutMs: TIMEOUT_MS,
    onStdout: (piece: Uint8Array) => {
      bytes += piece.length;
      if (bytes > limit) throw unsteady(`more than ${limit} bytes`);
      // The sandbox may use its buffer again.
      pieces.push(Uint8Array.from(piece));
    },
  };
  try {
    const { exitCode, stderr } = await sandbox.exec(call, { signal });
    if (exitCode !== 0) return { kind: 'unreadable', said: printableBytes(stderr.head).slice(0, 300) };
  } catch (thrown) {
    if (bytes > limit) return { kind: 'too_many' };
    throw thrown;
  }
  const listing = parseListing(Buffer.concat(pieces), maxHashedBytes);
  return listing.files.size > caps.listedFiles ? { kind: 'too_many' } : { kind: 'listed', listing };
}

/** Files of the base are always hashed, whatever their size: unchanged ones must be seen to be so. */
function largestOf(base: Tree, least: number): number {
  let largest = least;
  for (const { bytes } of base.values()) largest = Math.max(largest, bytes);
  return largest;
}

function folderLookup(base: Tree): (name: RegExp) => boolean {
  const names = new Set<string>();
  for (const path of base.keys()) for (const folder of path.split('/').slice(0, -1)) names.add(folder);
  return (name) => [...names].some((folder) => name.test(folder));
}
