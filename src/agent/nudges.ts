import type { ExitReason } from '../run/types.ts';

/** A turn that neither calls a tool nor answers. */
export type Unusable = 'cut' | 'empty' | 'broken_call';

/** The third such turn in a row ends the run, and so does the twelfth altogether. */
const MAX_IN_A_ROW = 3;
const MAX_ALTOGETHER = 12;

/** What to tell the model, or how the run ends. */
export type Nudge =
  | { readonly kind: 'told'; readonly text: string }
  | { readonly kind: 'end'; readonly reason: ExitReason };

export interface Nudges {
  next(kind: Unusable, facts: NudgeFacts): Nudge;
  /** A usable turn came. */
  reset(): void;
}

export interface NudgeFacts {
  readonly maxTokens: number;
  /** Names of tools whose calls were dropped. */
  readonly dropped: readonly string[];
}

const TEXTS: Readonly<Record<Unusable, (facts: NudgeFacts) => string>> = {
  cut: ({ maxTokens, dropped }) => {
    const calls = dropped.length > 0 ? ` Its calls (${dropped.join(', ')}) were not run.` : '';
    return `Your last reply was cut off at ${maxTokens} tokens, before it was complete.${calls} Think less before the next call, and write large files in parts. Go on with one short step.`;
  },
  empty: ({ maxTokens }) =>
    `Your last reply held no answer and no tool call. A reply may have up to ${maxTokens} tokens, thinking included. Call a tool to go on, or, if the work is done, say in a few sentences what you changed.`,
  broken_call: () =>
    'Your last reply held a tool call that was written as text and is incomplete, so nothing was run. Make the call again as a tool call, with a name from the list of tools and its arguments as one JSON object.',
};

export function createNudges(): Nudges {
  let inARow = 0;
  let altogether = 0;
  return {
    next(kind, facts) {
      inARow += 1;
      altogether += 1;
      if (inARow < MAX_IN_A_ROW && altogether < MAX_ALTOGETHER)
        return { kind: 'told', text: TEXTS[kind](facts) };
      return { kind: 'end', reason: kind === 'cut' ? 'max_tokens_per_turn' : 'no_answer' };
    },
    reset() {
      inARow = 0;
    },
  };
}
