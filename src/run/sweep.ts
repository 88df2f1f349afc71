import type { Log } from '../log.ts';
import type { Queue } from '../queue/types.ts';
import type { Store } from '../store/types.ts';
import { queueRun } from './worker.ts';

export interface SweepOptions {
  readonly store: Pick<Store, 'listStranded'>;
  readonly queue: Queue;
  readonly log: Log;
  /** Runs untouched for so long, without a lease, are queued again, ms. */
  readonly idleMs: number;
  readonly everyMs: number;
}

/** Queues stranded runs again, at once and then from time to time: the queue may lose entries, the store does not. */
export function startSweep({ store, queue, log, idleMs, everyMs }: SweepOptions): { stop(): void } {
  const sweep = async () => {
    try {
      for (const run of await store.listStranded(idleMs)) {
        await queueRun(queue, run);
        log.info({ runId: run.id, state: run.state }, 'stranded run queued again');
      }
    } catch (err) {
      log.warn({ err }, 'sweep failed');
    }
  };
  void sweep();
  const timer = setInterval(() => void sweep(), everyMs);
  return { stop: () => clearInterval(timer) };
}
