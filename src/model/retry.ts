import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../errors.ts';
import type { Log } from '../log.ts';

/** Bounds on trying again. Both hold. */
export interface RetryRules {
  /** Requests at most, the first one counted. */
  readonly attempts: number;
  /** Time from the first failure to the last try, ms. */
  readonly patienceMs: number;
  readonly firstPauseMs: number;
  readonly maxPauseMs: number;
}

/** Enough for a model server that takes some minutes to load its weights (case D13). */
export const RETRY_RULES: RetryRules = {
  attempts: 16,
  patienceMs: 600_000,
  firstPauseMs: 1_000,
  maxPauseMs: 60_000,
};

/** What a failed request means for the next one. */
export interface Failure {
  readonly repeat: 'never' | 'once' | 'while_patient';
  readonly fault: Fault;
}

export interface RetryOptions {
  readonly rules: RetryRules;
  /** Throws what is no failure of the request at all. */
  readonly judge: (thrown: unknown) => Failure;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/** Doubling pause, half of it random so that many workers don't come back together. `attempt` counts from 1. */
export function pauseAfter(attempt: number, rules: RetryRules, random: () => number = Math.random): number {
  const full = Math.min(rules.maxPauseMs, rules.firstPauseMs * 2 ** (attempt - 1));
  return full / 2 + (full / 2) * random();
}

/**
 * Runs `attempt` until it succeeds, one request at a time, each beginning only after the one before has ended. Throws
 * the last failure's fault, or the signal's reason.
 */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  { rules, judge, signal, log }: RetryOptions,
): Promise<Result> {
  let giveUpAt = Number.POSITIVE_INFINITY;
  let onceUsed = false;
  for (let count = 1; ; count += 1) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (thrown) {
      signal.throwIfAborted();
      const { repeat, fault } = judge(thrown);
      giveUpAt = Math.min(giveUpAt, performance.now() + rules.patienceMs);
      const pauseMs = Math.max(pauseAfter(count, rules), fault.retryAfterMs ?? 0);
      const spent = count >= rules.attempts || performance.now() + pauseMs > giveUpAt;
      if (repeat === 'never' || (repeat === 'once' && onceUsed) || spent) throw fault;
      onceUsed ||= repeat === 'once';
      log.warn(
        { err: fault, attempt: count, pauseMs: Math.round(pauseMs) },
        'model request failed, trying again',
      );
      await pause(pauseMs, signal);
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (thrown) {
    signal.throwIfAborted();
    throw thrown;
  }
}
