import { Fault, fault } from '../errors.ts';

/** The port promises an answer or `queue_unavailable` within 4 s; the rest is left for the way back. */
export const DEADLINE_MS = 3_500;

/**
 * Awaits an operation of the queue for so long at most: BullMQ itself waits for ever for a backend that is away. An add
 * that was given up may still happen later, when the backend is back; entries are at-least-once anyway.
 */
export async function bounded<T>(operation: Promise<T>, deadlineMs = DEADLINE_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    const late = () => fault('queue_unavailable', { detail: `the queue did not answer in ${deadlineMs} ms` });
    timer = setTimeout(() => reject(late()), deadlineMs);
  });
  try {
    return await Promise.race([operation, deadline]);
  } catch (err) {
    if (err instanceof Fault) throw err;
    const detail = err instanceof Error ? err.message : 'unknown error';
    throw fault('queue_unavailable', {
      detail: `the queue refused or lost the request: ${detail}`,
      cause: err,
    });
  } finally {
    clearTimeout(timer);
  }
}

/** True when the promise settles in time, be it with an error. */
export async function settles(promise: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  const settled = promise.then(
    () => true as const,
    () => true as const,
  );
  return Promise.race([settled, late]).finally(() => clearTimeout(timer));
}
