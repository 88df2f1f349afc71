import { type Fault, fault, toFault } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Stage } from '../outcome.ts';
import type { Queue, QueueEntry, QueueWorker, Side } from '../queue/types.ts';
import type { Run, RunState, Store } from '../store/types.ts';
import { type Held, withLease } from './lease.ts';

/** Tries of one step of a run, by our own count (leases taken), whatever the queue counts. */
export const MAX_ATTEMPTS = 4;

/** Which side continues a run in which state. */
const SIDE_OF: Record<Exclude<RunState, 'ended'>, Side> = {
  queued: 'forge',
  prepared: 'sandbox',
  worked: 'forge',
};

/** The stage that a given-up run is said to have ended in. */
const STAGE_OF: Record<RunState, Stage> = {
  queued: 'prepare',
  prepared: 'agent',
  worked: 'publish',
  ended: 'report',
};

export interface WorkerOptions {
  readonly store: Store;
  readonly queue: Queue;
  readonly log: Log;
  /** Names this process in the store, unique per process start. */
  readonly owner: string;
  readonly leaseMs: number;
  readonly concurrency: number;
  readonly side: Side;
  /** Takes the run as far as this side can; what it throws is a fault of the run. */
  readonly step: (held: Held) => Promise<void>;
}

/** Puts a run in front of the side that its state waits for; nothing for an ended one. */
export async function queueRun(queue: Queue, run: Pick<Run, 'id' | 'state' | 'outcome'>): Promise<void> {
  if (run.state === 'ended') return;
  const step = run.outcome ? `${run.state}_${run.outcome}` : run.state;
  await queue.add(SIDE_OF[run.state], { runId: run.id }, { step });
}

/**
 * Starts a worker of one side. One of the two places that catch faults (the other is webhook/intake): a retryable one goes
 * back to the queue while attempts remain, all else ends the run in a way that people see.
 */
export function startWorker(options: WorkerOptions): Promise<QueueWorker> {
  return options.queue.work(options.side, {
    concurrency: options.concurrency,
    handle: (entry, { signal }) => handleEntry(entry, signal, options),
  });
}

/** Takes one entry: leases the run, takes it further, and queues it for the side that is next. */
export async function handleEntry(
  entry: QueueEntry,
  signal: AbortSignal,
  options: WorkerOptions,
): Promise<void> {
  const { store, queue, log, owner, leaseMs, side } = options;
  const before = await store.readRun(entry.runId);
  if (!before || before.state === 'ended')
    return log.debug({ runId: entry.runId }, 'entry without a live run dropped');
  if (SIDE_OF[before.state] === side) {
    await withLease(entry.runId, { store, log, owner, ttlMs: leaseMs, signal }, (held) =>
      settle(held, options),
    );
  }
  const after = await store.readRun(entry.runId);
  if (after && (after.state !== before.state || after.outcome !== before.outcome))
    await queueRun(queue, after);
}

/** Runs the step and decides what its failure means. Throws only what the queue is to bring back. */
async function settle(held: Held, options: WorkerOptions): Promise<void> {
  const { run } = held;
  try {
    if (run.cancelRequested && !run.outcome)
      return await giveUp(held, { outcome: 'cancelled', reason: run.cancelRequested });
    if (run.attempts > MAX_ATTEMPTS) return await giveUp(held, exhausted(run));
    await options.step(held);
  } catch (thrown) {
    await settleFailure(held, toFault(thrown));
  }
}

async function settleFailure(held: Held, failure: Fault): Promise<void> {
  const { run, log } = held;
  const end = held.ended();
  if (end?.kind === 'cancelled') return giveUp(held, { outcome: 'cancelled', reason: end.reason });
  // A shutdown is no failure of the run: the queue brings the entry back, to whoever is up then.
  if (end?.kind === 'shutdown')
    throw fault('internal', { detail: 'the process shuts down', cause: failure, retryable: true });
  if (end?.kind === 'lease_lost' || failure.code === 'lease_lost') {
    return log.warn({ err: failure }, 'run left to the worker that took it over');
  }
  const again = failure.retryable && run.attempts < MAX_ATTEMPTS;
  log[again ? 'warn' : 'error']({ err: failure, attempt: run.attempts, again }, 'step failed');
  if (again) throw failure;
  await giveUp(held, { outcome: 'faulted', fault: failure });
}

type GivenUp =
  | { readonly outcome: 'faulted'; readonly fault: Fault }
  | { readonly outcome: 'cancelled'; readonly reason: string };

function exhausted(run: Run): GivenUp {
  const detail = `the step in state ${run.state} was begun ${run.attempts - 1} times and never ended`;
  return { outcome: 'faulted', fault: fault('attempts_exhausted', { detail }) };
}

/** Stores why the run can't go on; the forge side then tells people. A run that can't even be reported ends in silence, logged. */
async function giveUp(held: Held, end: GivenUp): Promise<void> {
  const { run, log } = held;
  if (run.outcome) {
    log.error({ outcome: run.outcome }, 'run ended without its report');
    await held.advance({ state: 'ended' }, { stage: 'report', kind: 'faulted', data: { reported: false } });
    return;
  }
  const outcomeDetails: Record<string, string> =
    end.outcome === 'faulted'
      ? { fault: end.fault.code, text: end.fault.publicText }
      : { reason: end.reason };
  const kind = end.outcome === 'faulted' ? 'faulted' : 'cancelled';
  const stage = STAGE_OF[run.state];
  await held.advance(
    { state: 'worked', outcome: end.outcome, outcomeDetails },
    { stage, kind, data: outcomeDetails },
  );
}
