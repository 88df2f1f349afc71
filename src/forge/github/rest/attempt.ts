import { Fault, fault } from '../../../errors.ts';
import type { Log } from '../../../log.ts';
import { type Failure, readRefusal, toFailure } from './failure.ts';

export interface Answer {
  readonly status: number;
  /** Null for a status that was expected though it refuses. */
  readonly data: unknown;
  /** Where a redirect points to; it is not followed here. */
  readonly location: string | null;
  /** What GitHub said with an expected refusal, hostile and capped. */
  readonly said: string;
}

/** Waits, and rejects with the signal's reason when it fires. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

export interface AttemptOptions {
  /** The call for operators, such as its route. */
  readonly what: string;
  readonly host: string;
  /** Whether doing it twice is the same as once: reads, edits, removals. Creations are looked up first by their caller (E11). */
  readonly repeatable: boolean;
  /** Refusals that are answers, such as 404 or, where "exists already" is one, 422. */
  readonly expect: readonly number[];
  /** Forgets the token in use, so that the next try has a new one; null where no token is used. */
  readonly renew: (() => void) | null;
  readonly pause: Pause;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Longest wait inside one call; what asks for more becomes a fault that the queue waits out, holding no worker. */
const MAX_WAIT_MS = 60_000;
/** Refused tokens: renewed at once (it may have expired, B08), then given time to become known everywhere (B09). */
const UNAUTHORIZED_PAUSES_MS = [0, 1_000, 2_000, 4_000];
/** A first 403 may be a token that is not known yet (B09); a second one is meant. */
const FORBIDDEN_PAUSES_MS = [1_000];
const UNAVAILABLE_PAUSES_MS = [500, 1_000, 2_000];

/** Repeats a call while that helps. Throws a fault of the catalogue, or the signal's reason. */
export async function attempt(send: () => Promise<Answer>, options: AttemptOptions): Promise<Answer> {
  const { what, host, expect, pause, log, signal } = options;
  const nextPause = createPlan(options);
  for (;;) {
    signal.throwIfAborted();
    try {
      return await send();
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof Fault) throw thrown;
      const failure = toFailure(thrown, { what, host });
      const { status, waitMs } = failure;
      if (waitMs === null && status !== null && expect.includes(status))
        return { status, data: null, location: null, said: readRefusal(thrown)?.said ?? '' };
      const pauseMs = nextPause(failure);
      log.debug({ what, status, pauseMs }, 'forge call repeated');
      await pause(pauseMs, signal);
    }
  }
}

/** The pause before the next try, ms; throws the fault when there should be none. */
function createPlan({ repeatable, renew, host }: AttemptOptions): (failure: Failure) => number {
  const used = { unauthorized: 0, forbidden: 0, unavailable: 0 };
  let waitedMs = 0;
  const next = (kind: keyof typeof used, pauses: readonly number[], failure: Failure): number => {
    const pauseMs = pauses[used[kind]];
    used[kind] += 1;
    if (pauseMs === undefined) throw failure.fault;
    return pauseMs;
  };
  return (failure) => {
    const { status, waitMs } = failure;
    if (waitMs !== null) {
      // Limited again after a pause as long as was asked: the next one is longer.
      const askedMs = waitedMs > 0 ? waitMs * 2 : waitMs;
      if (waitedMs + askedMs > MAX_WAIT_MS)
        throw fault('forge_rate_limited', { detail: failure.fault.detail, retryAfterMs: askedMs });
      waitedMs += askedMs;
      return askedMs;
    }
    if (status === 401 && renew === null) {
      const hint = `check GITHUB_APP_ID, GITHUB_PRIVATE_KEY and this machine's clock`;
      throw fault('forge_unauthorized', { detail: `${failure.fault.detail}; ${hint}` });
    }
    if (status === 401) {
      if (used.unauthorized === 0) renew?.();
      const late = fault('forge_unauthorized', {
        detail: `${failure.fault.detail}; ${host} refuses a token that it has just minted`,
      });
      return next('unauthorized', UNAUTHORIZED_PAUSES_MS, { ...failure, fault: late });
    }
    if (status === 403) return next('forbidden', FORBIDDEN_PAUSES_MS, failure);
    if (repeatable && (status === null || status >= 500))
      return next('unavailable', UNAVAILABLE_PAUSES_MS, failure);
    throw failure.fault;
  };
}
