import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lock } from 'proper-lockfile';
import type { Log } from '../log.ts';

const POLL_MS = 100;

export interface LockOptions {
  readonly log: Pick<Log, 'warn'>;
  /** A lock whose holder has not touched it for so long belongs to a dead process. At least 2000 ms. */
  readonly staleMs: number;
}

/** Gives the lock back. */
export type Unlock = () => Promise<void>;

/** Takes a lock that all processes sharing the folder respect; null when another holds it. */
export async function tryLock(place: string, { log, staleMs }: LockOptions): Promise<Unlock | null> {
  await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
  try {
    return await lock(place, {
      realpath: false,
      stale: staleMs,
      update: staleMs / 5,
      // git keeps its own locks, so a holder that was thought dead does no harm by going on.
      onCompromised: (err) => log.warn({ err }, 'mirror lock taken over'),
    });
  } catch (err) {
    if (isHeld(err)) return null;
    throw err;
  }
}

/** As `tryLock`, waiting for its turn. */
export async function waitForLock(
  place: string,
  options: LockOptions,
  { signal }: { readonly signal: AbortSignal },
): Promise<Unlock> {
  for (;;) {
    const unlock = await tryLock(place, options);
    if (unlock)
      return async () =>
        unlock().catch((err: unknown) => options.log.warn({ err }, 'mirror lock not given back'));
    await sleep(POLL_MS, undefined, { signal });
  }
}

function isHeld(err: unknown): boolean {
  return err instanceof Error && 'code' in err && err.code === 'ELOCKED';
}
