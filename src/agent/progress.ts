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

  /** The period of the cycle that `next` goes on with; null when it is none. */
  function findPeriod(next: string): number | null {
    for (let period = 1; period <= MAX_PERIOD; period += 1) {
      const span = results.slice(-period * SAME_ROUNDS);
      const isSame = span.every((each, index) => index < period || each === span[index - period]);
      const rounds = isSame ? SAME_ROUNDS : CALL_ROUNDS;
      if (continuesCycle(calls, next, { period, rounds })) return period;
    }
    return null;
  }

  return {
    judge(text) {
      const next = digest(text);
      const period = findPeriod(next);
      if (period === null) return 'run';
      // Taken as done with the result it had, so that the other calls of the cycle are known again as well.
      results.push(results.at(-period) ?? '');
      calls.push(next);
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
