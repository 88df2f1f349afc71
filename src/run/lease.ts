import { fault } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Stage } from '../outcome.ts';
import type { EventKind, Lease, Run, RunUpdate, Store } from '../store/types.ts';
import type { CancelTrigger } from '../webhook/trigger.ts';

/** A run that this process may work on: everything it writes for the run carries the lease's epoch. */
export interface Held {
  /** The run as it was when the lease was taken. */
  readonly run: Run;
  readonly log: Log;
  /** Fires when the lease is lost, the run is to be cancelled or the process shuts down. */
  readonly signal: AbortSignal;
  /** Why the signal fired; null while it has not. */
  ended(): HeldEnd | null;
  /** Throws `lease_lost` unless the lease is still ours: called right before every effect on the forge. */
  fence(): Promise<void>;
  /** Diary of effects on the forge: null before the call, the result after it. */
  recordEffect(name: string, value: string | null): Promise<void>;
  note(stage: Stage, kind: EventKind, data: Readonly<Record<string, unknown>>): Promise<void>;
  /** Stores results and the next state together with the event that tells of them. */
  advance(
    update: RunUpdate,
    event: {
      readonly stage: Stage;
      readonly kind: EventKind;
      readonly data: Readonly<Record<string, unknown>>;
    },
  ): Promise<Run>;
}

export type HeldEnd =
  | { readonly kind: 'lease_lost' }
  | { readonly kind: 'shutdown' }
  | { readonly kind: 'cancelled'; readonly reason: CancelTrigger['reason'] };

export interface LeaseOptions {
  readonly store: Store;
  readonly log: Log;
  /** Names this process in the store, unique per process start. */
  readonly owner: string;
  readonly ttlMs: number;
  /** Fires when the process shuts down. */
  readonly signal: AbortSignal;
}

/**
 * Takes the lease of a run, keeps it alive while `body` works, and gives it back. Resolves to false when the run is not to
 * be had: ended, or in the hands of another worker. A lease that could not be renewed in time counts as lost: another may
 * have it (case C01).
 */
export async function withLease(
  runId: string,
  options: LeaseOptions,
  body: (held: Held) => Promise<void>,
): Promise<boolean> {
  const { store, owner, ttlMs } = options;
  const lease = await store.takeLease(runId, { owner, ttlMs });
  if (!lease) return false;
  const log = options.log.child({ runId, epoch: lease.epoch });
  const keeper = keepAlive(lease, { ...options, log });
  try {
    await body({
      run: lease.run,
      log,
      signal: keeper.signal,
      ended: keeper.ended,
      fence: () => store.assertLease(runId, lease.epoch),
      recordEffect: (name, value) => store.recordEffect(runId, lease.epoch, { name, value }),
      note: (stage, kind, data) => store.appendEvents(runId, lease.epoch, [{ stage, kind, data }]),
      advance: (update, event) => store.advance(runId, lease.epoch, { update, events: [event] }),
    });
  } finally {
    keeper.stop();
    const used = keeper.ended()?.kind !== 'shutdown';
    await store
      .releaseLease(runId, lease.epoch, { attemptUsed: used })
      .catch((err: unknown) => log.warn({ err }, 'lease not given back, it will run out'));
  }
  return true;
}

/** Renews every third of the time to live; once that long has passed without a renewal the lease is taken for lost. */
function keepAlive({ run, epoch }: Lease, { store, log, ttlMs, signal }: LeaseOptions) {
  const controller = new AbortController();
  let end: HeldEnd | null = null;
  let renewedAt = performance.now();

  const finish = (reason: HeldEnd) => {
    end ??= reason;
    controller.abort(fault('lease_lost', { detail: `work on the run was ended: ${reason.kind}` }));
  };
  const onShutdown = () => finish({ kind: 'shutdown' });
  if (signal.aborted) onShutdown();
  signal.addEventListener('abort', onShutdown, { once: true });

  const renew = async () => {
    try {
      const { held, cancelRequested } = await store.renewLease(run.id, { epoch, ttlMs });
      if (!held) return finish({ kind: 'lease_lost' });
      renewedAt = performance.now();
      // Once there is something to publish or to report, stopping half-way would leave more behind than going on.
      if (cancelRequested && run.state !== 'worked') finish({ kind: 'cancelled', reason: cancelRequested });
    } catch (err) {
      log.warn({ err }, 'lease renewal failed');
      if (performance.now() - renewedAt > ttlMs) finish({ kind: 'lease_lost' });
    }
  };
  const timer = setInterval(() => void renew(), Math.max(50, ttlMs / 3));
  return {
    signal: controller.signal,
    ended: () => end,
    stop: () => {
      clearInterval(timer);
      signal.removeEventListener('abort', onShutdown);
    },
  };
}
