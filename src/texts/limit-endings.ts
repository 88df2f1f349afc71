import type { ExitReason } from '../run/types.ts';
import type { Run } from '../store/types.ts';
import { formatCount, formatNumber } from './numbers.ts';
import type { RefusalText } from './refusals.ts';

const SMALLER = 'Make the issue smaller or more exact and set the label again.';

/** What ran out or stood still, and what can be done about it. */
const LIMIT_TEXTS: Readonly<Partial<Record<ExitReason, (run: Run) => RefusalText>>> = {
  max_turns: ({ worked, admitted }) => ({
    why: `its ${formatCount(admitted?.policy.limits.steps ?? worked?.agent.turns ?? 0, 'turn')} were used up`,
    mend: `${SMALLER} The policy's \`limits.steps\` may allow more.`,
  }),
  max_time: ({ worked, admitted }) => ({
    why: `its ${formatNumber(admitted?.policy.limits.minutes ?? 0)} min were used up after ${formatCount(worked?.agent.turns ?? 0, 'turn')}`,
    mend: `${SMALLER} The policy's \`limits.minutes\` may allow more.`,
  }),
  max_context_len: () => ({ why: "the model's context was full", mend: SMALLER }),
  max_tokens_per_turn: () => ({
    why: 'an answer of the model reached its length limit and was cut',
    mend: SMALLER,
  }),
  no_progress: () => ({
    why: 'the model repeated itself without progress',
    mend: 'Add a hint to the issue, such as where to look, and set the label again.',
  }),
  no_answer: () => ({
    why: 'the model gave no answer',
    mend: 'Set the label again; if it happens often, tell those who run Tadpole.',
  }),
};

/** Why a run ended as `limit_reached`, and how to mend it. */
export function limitText(run: Run): RefusalText {
  const reason = run.worked?.agent.exitReason;
  const text = reason === undefined ? undefined : LIMIT_TEXTS[reason];
  return text?.(run) ?? { why: 'a limit was reached', mend: SMALLER };
}
