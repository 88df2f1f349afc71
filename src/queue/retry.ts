import { UnrecoverableError } from 'bullmq';
import { toFault } from '../errors.ts';

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
/** A worker that closes hands its entries back at once, for whoever is up. */
const HAND_OVER_PAUSE_MS = 500;

/** Brings an entry back. BullMQ stores the message of what was thrown, so it is a code of the catalogue and nothing else. */
class RetryLater extends Error {
  readonly pauseMs: number | undefined;

  constructor(code: string, pauseMs: number | undefined) {
    super(code);
    this.pauseMs = pauseMs;
  }
}

/** What the queue is to do about a failed entry: end it, or bring it back. */
export function toQueueError(thrown: unknown, { closing }: { readonly closing: boolean }): Error {
  const failure = toFault(thrown);
  if (closing) return withoutStack(new RetryLater(failure.code, HAND_OVER_PAUSE_MS));
  if (!failure.retryable) return withoutStack(new UnrecoverableError(failure.code));
  return withoutStack(new RetryLater(failure.code, failure.retryAfterMs));
}

/** For an entry that reached a worker which takes none any more: it comes back for another. */
export function handBack(): Error {
  return withoutStack(new RetryLater('queue_unavailable', HAND_OVER_PAUSE_MS));
}

/** Pause before the next try: as the fault says, else 2, 4, 8 … 60 s. In milliseconds. */
export function pauseBefore(attemptsMade: number, error: Error | undefined): number {
  if (error instanceof RetryLater && error.pauseMs !== undefined) return error.pauseMs;
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, attemptsMade - 1), LONGEST_PAUSE_MS);
}

/** Stack traces would be stored too. */
function withoutStack<T extends Error>(error: T): T {
  error.stack = '';
  return error;
}
