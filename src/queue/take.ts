import type { Log } from '../log.ts';
import { bounded, settles } from './bounded.ts';
import type { Entries, TakenJob, Taker, Wiring } from './connections.ts';
import { Entry } from './entry.ts';
import type { OutageLog } from './outage-log.ts';
import { park } from './parking.ts';
import { handBack, pauseBefore, toQueueError } from './retry.ts';
import type { QueueWorker, WorkOptions } from './types.ts';

/** How long a dead worker's entry stays with it, and how often workers look for such entries. */
export interface StallOptions {
  readonly lockMs: number;
  readonly stalledCheckMs: number;
}

/**
 * BullMQ gives an entry up for good after so many stalls. Ours are counted by the store (leases taken, case C02), so the
 * queue's own limit is only there to stop an entry that kills each worker before it gets as far as the store.
 */
const MAX_STALLS = 25;
/** What a closing worker leaves its entries after their signal fired, and its connections after that. */
const ABORTED_MS = 10_000;
const DISCONNECT_MS = 2_000;

export interface TakeOptions extends WorkOptions, StallOptions {
  readonly wiring: Wiring;
  readonly name: string;
  readonly parked: Entries;
  readonly outage: OutageLog;
  readonly log: Log;
}

/** Starts taking entries; fault `queue_unavailable` when the backend does not answer. */
export async function startTaking(options: TakeOptions): Promise<QueueWorker> {
  const { wiring, outage } = options;
  const hand: Hand = { closing: new AbortController(), stopped: false, entries: 0 };
  const taker = wiring.taker(options.name, (job) => takeOne(job, hand, options), {
    concurrency: options.concurrency,
    lockDuration: options.lockMs,
    stalledInterval: options.stalledCheckMs,
    maxStalledCount: MAX_STALLS,
    settings: { backoffStrategy: (attempts, _type, err) => pauseBefore(attempts, err) },
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
  taker.on('error', (err) => outage.failed(err));
  taker.on('stalled', (id) =>
    options.log.warn({ entryId: id.slice(0, 128) }, 'queue entry of a dead worker taken back'),
  );
  try {
    await bounded(taker.waitUntilReady(), wiring.readyMs);
  } catch (err) {
    await disconnect(taker);
    throw err;
  }
  return { close: ({ graceMs }) => close(taker, hand, { graceMs, log: options.log }) };
}

/** What a worker has in hand. */
interface Hand {
  /** Fires when the grace of a close is over. */
  readonly closing: AbortController;
  /** From the call of `close` on. */
  stopped: boolean;
  entries: number;
}

async function takeOne(job: TakenJob, hand: Hand, options: TakeOptions): Promise<void> {
  options.outage.worked();
  // BullMQ does not look again after it waited for an entry, so a closing worker may still be given one.
  if (hand.stopped) throw handBack();
  const entry = Entry.safeParse(job.data);
  if (!entry.success)
    return park({ id: job.id, name: job.name, data: job.data }, options.parked, options.log);
  const { signal } = hand.closing;
  hand.entries += 1;
  try {
    await options.handle({ runId: entry.data.runId }, { signal });
  } catch (err) {
    throw toQueueError(err, { closing: signal.aborted });
  } finally {
    hand.entries -= 1;
  }
}

/** BullMQ's own close waits without limit, for entries in hand and for a backend that is away (case C06, R28). */
async function close(
  taker: Taker,
  hand: Hand,
  options: { readonly graceMs: number; readonly log: Log },
): Promise<void> {
  hand.stopped = true;
  const closed = taker.close();
  if (await settles(closed, options.graceMs)) return;
  hand.closing.abort();
  if (await settles(closed, hand.entries > 0 ? ABORTED_MS : DISCONNECT_MS)) return;
  options.log.warn('queue worker did not close in time, its entries come back later');
  await disconnect(taker);
}

async function disconnect(taker: Taker): Promise<void> {
  await settles(taker.disconnect(), DISCONNECT_MS);
}
