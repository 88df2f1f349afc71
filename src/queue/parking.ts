import { createHash } from 'node:crypto';
import type { Log } from '../log.ts';
import type { Entries } from './connections.ts';

/** Parked entries kept per side; what comes beyond is only logged, so that a flood can't fill the backend. */
const MAX_PARKED = 1_000;
const KEPT_CHARACTERS = 4_096;

export interface Unreadable {
  readonly id: string | undefined;
  readonly name: string;
  readonly data: unknown;
}

/**
 * Sets an entry aside that is not ours to understand: of an older or newer version, of another program, or forged. It goes
 * to a queue of its own, which nobody takes from, so that its identity stays free for a real entry.
 */
export async function park(entry: Unreadable, parked: Entries, log: Log): Promise<void> {
  const data = JSON.stringify(entry.data ?? null).slice(0, KEPT_CHARACTERS);
  const hash = createHash('sha256').update(`${entry.id}\0${data}`).digest('hex');
  const parkedAs = `p_${hash.slice(0, 32)}`;
  const kept = (await countParked(parked)) < MAX_PARKED;
  if (kept) {
    const content = { id: String(entry.id).slice(0, 256), name: entry.name.slice(0, 256), data };
    await parked.add('parked', content, { jobId: parkedAs });
  }
  log.warn({ parkedAs, kept }, 'queue entry that cannot be read was parked');
}

export async function countParked(parked: Entries): Promise<number> {
  const { waiting = 0 } = await parked.getJobCounts('waiting');
  return waiting;
}
