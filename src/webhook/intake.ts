import { type Fault, fault, toFault } from '../errors.ts';
import { parseDelivery } from '../forge/github/parse.ts';
import type { Log } from '../log.ts';
import type { Queue } from '../queue/types.ts';
import type { Store } from '../store/types.ts';
import type { VerifiedDelivery } from './github.ts';
import type { LabelTrigger } from './trigger.ts';

/** What became of a delivery. Only `unavailable` is answered with an error, so that the forge can deliver it again. */
export type Intake =
  | { readonly kind: 'accepted'; readonly runId: string; readonly duplicate: boolean }
  | { readonly kind: 'cancelled'; readonly runId: string | null }
  | { readonly kind: 'ignored'; readonly reason: string }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly fault: Fault };

export interface IntakeDeps {
  readonly store: Pick<Store, 'acceptLabel' | 'acceptCancel'>;
  readonly queue: Pick<Queue, 'add'>;
  /** Labels that may ask for a run. */
  readonly labels: readonly string[];
  readonly log: Log;
}

/** Longest that the forge waits for store and queue together, ms; it gives up itself at 10 s. */
const LIMIT_MS = 4_500;

/**
 * From a verified delivery to a stored and queued run. One of the two places that catch faults (the other is run/worker).
 * Resolves to `accepted` only when the run is durable in the store and in the queue (case B05).
 */
export async function takeIn(delivery: VerifiedDelivery, deps: IntakeDeps): Promise<Intake> {
  const log = deps.log.child({ deliveryId: delivery.id, event: delivery.event });
  const parsed = parseDelivery(delivery, deps.labels);
  if (parsed.kind !== 'trigger') {
    log.debug({ reason: parsed.reason }, 'delivery ignored');
    return parsed;
  }
  const { trigger } = parsed;
  try {
    if (trigger.kind === 'cancel') {
      const runId = await within(deps.store.acceptCancel(trigger));
      log.info({ runId, reason: trigger.reason }, 'cancellation received');
      return { kind: 'cancelled', runId };
    }
    return await within(accept(trigger, deps, log));
  } catch (thrown) {
    const failure = toFault(thrown);
    log.error({ err: failure }, 'delivery not stored');
    return { kind: 'unavailable', fault: failure };
  }
}

async function accept(trigger: LabelTrigger, { store, queue }: IntakeDeps, log: Log): Promise<Intake> {
  const { kind, run } = await store.acceptLabel(trigger);
  if (run === null) return { kind: 'ignored', reason: 'this delivery led to no run before' };
  const duplicate = kind === 'duplicate';
  // A duplicate that still waits is queued again: perhaps the queue was away at the first delivery. Twice does no harm.
  const isWaiting = run.state === 'queued' && run.outcome === null;
  if (isWaiting) await queue.add('forge', { runId: run.id }, { step: 'queued' });
  const fields = { runId: run.id, issue: trigger.issue, duplicate };
  log.info(fields, isWaiting ? 'job queued' : 'delivery known');
  return { kind: 'accepted', runId: run.id, duplicate };
}

async function within<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = fault('store_unavailable', {
    detail: `store and queue did not take the delivery within ${LIMIT_MS} ms`,
  });
  const timer = setTimeout(() => reject(late), LIMIT_MS);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
