import { unguessableName } from '../git/unguessable-name.ts';
import type { Git } from '../git.ts';
import type { Sandbox } from '../sandbox/types.ts';
import { catArgv } from './list-script.ts';
import type { Edit } from './types.ts';

const TIMEOUT_MS = 5 * 60_000;

interface Wanted {
  readonly path: string;
  readonly id: string;
  readonly bytes: number;
}

/**
 * Fetches the blobs that we lack and writes each into our repository, where git itself works out its id. Returns false
 * when any differs from the listing, or the stream is cut or too long: then a file changed meanwhile (T55).
 */
export async function fetchBlobs(
  {
    sandbox,
    git,
    repository,
  }: { readonly sandbox: Pick<Sandbox, 'exec'>; readonly git: Git; readonly repository: string },
  wanted: readonly Wanted[],
  { signal }: { readonly signal: AbortSignal },
): Promise<boolean> {
  if (wanted.length === 0) return true;
  const queue = [...wanted];
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let steady = true;

  const writeHeld = async ({ id }: Wanted) => {
    const stdin = Buffer.concat(held);
    held = [];
    heldBytes = 0;
    const written = await git.run(
      { cwd: repository, args: ['hash-object', '-w', '--no-filters', '--stdin'], stdin },
      { signal },
    );
    if (written.stdout.toString('latin1').trim() !== id) steady = false;
  };
  const takeWhole = async () => {
    while (queue[0] !== undefined && heldBytes === queue[0].bytes) {
      const next = queue.shift();
      if (next) await writeHeld(next);
    }
  };
  const take = async (piece: Uint8Array) => {
    let rest = piece;
    while (rest.length > 0) {
      const next = queue[0];
      if (next === undefined) {
        steady = false;
        return;
      }
      const part = rest.subarray(0, next.bytes - heldBytes);
      held.push(Uint8Array.from(part));
      heldBytes += part.length;
      rest = rest.subarray(part.length);
      await takeWhole();
    }
  };

  await takeWhole();
  const result = await sandbox.exec(
    {
      id: unguessableName('blobs'),
      argv: catArgv,
      stdin: Buffer.from(wanted.map(({ path }) => `./${path}\0`).join(''), 'latin1'),
      timeoutMs: TIMEOUT_MS,
      onStdout: take,
    },
    { signal },
  );
  return steady && queue.length === 0 && result.exitCode === 0;
}

/** One file for each blob that the base does not have. */
export function findUnknownBlobs(edits: readonly Edit[], known: ReadonlySet<string>): readonly Wanted[] {
  const wanted = new Map<string, Wanted>();
  for (const { path, blob } of edits) {
    if (blob !== null && !known.has(blob.id)) wanted.set(blob.id, { path, ...blob });
  }
  return [...wanted.values()];
}
