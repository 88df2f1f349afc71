import { createHash } from 'node:crypto';

/** Longest cycle looked for: A, A B, A B C. */
const MAX_PERIOD = 3;
/** Times that a cycle with the very same observations may go round before its next call is not run. */
const SAME_ROUNDS = 3;
/** Times that a cycle of calls may go round whatever comes back, such as waiting for something. */
const CALL_ROUNDS = 6;
/** Turns in a row that are interrupted before the run ends. */
const MAX_INTERRUPTIONS = 3;

/** Identical and alternating turns: first interrupted, then stopped (`no_progress`). */
export interface Progress {
  /** What to do with a turn's calls: run them, answer them without running, or end the run. */
  judge(calls: string): 'run' | 'interrupt' | 'stop';
  /** Remembers a turn that was run. */
  record(calls: string, observations: string): void;
}

export const INTERRUPTION =
  'Not run: the same calls have brought the same results several times. Doing it again will not help. Look at what you know, and take another way; if there is none, end with what you have found.';

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** Whether `next` would begin the round after `rounds` equal ones of this period. */
function continuesCycle(
  done: readonly string[],
  next: string,
  { period, rounds }: { readonly period: number; readonly rounds: number },
): boolean {
  const span = done.slice(-period * rounds);
  if (span.length < period * rounds || span[0] !== next) return false;
  return span.every((each, index) => index < period || each === span[index - period]);
}

export function createProgress(): Progress {
  const calls: string[] = [];
  const results: string[] = [];
  let interruptions = 0;

  function isCircling(next: string): boolean {
    for (let period = 1; period <= MAX_PERIOD; period += 1) {
      if (continuesCycle(calls, next, { period, rounds: CALL_ROUNDS })) return true;
      const span = results.slice(-period * SAME_ROUNDS);
      const same = span.every((each, index) => index < period || each === span[index - period]);
      if (same && continuesCycle(calls, next, { period, rounds: SAME_ROUNDS })) return true;
    }
    return false;
  }

  return {
    judge(text) {
      if (!isCircling(digest(text))) return 'run';
      interruptions += 1;
      return interruptions > MAX_INTERRUPTIONS ? 'stop' : 'interrupt';
    },
    record(text, observations) {
      interruptions = 0;
      calls.push(digest(text));
      results.push(digest(observations));
    },
  };
}
