import { setTimeout as sleep } from 'node:timers/promises';
import { fault } from '../errors.ts';
import type { GitAccess } from '../forge/types.ts';
import type { Git } from '../git.ts';
import { folderBytes } from './disk.ts';

const WATCH_MS = 250;

/** git's own word for "everything": makes a shallow repository whole, and does nothing to a whole one. */
export const WHOLE_HISTORY = 2_147_483_647;

export interface FetchRequest {
  readonly repository: string;
  readonly commit: string;
  readonly depth: number;
  readonly access: GitAccess;
  /** The repository may not take more room than this; fault `repository_too_large`. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/**
 * Fetches one commit by its id, so that a branch that has moved since does not matter (case E09), and no tag or other
 * branch comes along. Each object is checked on arrival; the size is watched while it grows.
 */
export async function fetchCommit(
  git: Git,
  { repository, commit, depth, access, maxBytes, timeoutMs }: FetchRequest,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  const watch = watchSize(repository, maxBytes);
  try {
    await git.run(
      {
        cwd: repository,
        args: [
          'fetch',
          '--quiet',
          '--no-tags',
          '--no-write-fetch-head',
          '--no-recurse-submodules',
          `--depth=${depth}`,
          '--end-of-options',
          access.url,
          `+${commit}:refs/tadpole/base`,
        ],
        access,
        timeoutMs,
      },
      { signal: AbortSignal.any([signal, watch.signal]) },
    );
  } finally {
    watch.stop();
  }
  if ((await folderBytes(repository)) > maxBytes) throw tooLarge(maxBytes);
}

function tooLarge(maxBytes: number) {
  return fault('repository_too_large', { detail: `the mirror takes more than ${maxBytes} bytes` });
}

/** A signal that fires, with the fault as its reason, once the folder is over the limit. */
function watchSize(folder: string, maxBytes: number) {
  const over = new AbortController();
  const done = new AbortController();
  const watch = async () => {
    while (!done.signal.aborted) {
      if ((await folderBytes(folder)) > maxBytes) over.abort(tooLarge(maxBytes));
      await sleep(WATCH_MS, undefined, { signal: done.signal });
    }
  };
  // Ends by abort, always.
  watch().catch(() => undefined);
  return { signal: over.signal, stop: () => done.abort() };
}
