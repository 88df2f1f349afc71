import type { CheckRequest } from '../forge/types.ts';
import type { Run } from '../store/types.ts';
import type { Comparison, Verdict, Verification } from '../verification/types.ts';
import { resultText } from './draft.ts';
import { formatCount, formatNumber } from './numbers.ts';
import { HEADLINES } from './warning.ts';

/** Deterministic: the check is found again by it. */
export const CHECK_NAME = 'Tadpole: verification';

/** Green only for what was verified; nothing measured is neither good nor bad. */
const CONCLUSIONS: Readonly<Record<Verdict, CheckRequest['conclusion']>> = {
  verified: 'success',
  unproven: 'neutral',
  regression: 'failure',
  not_measurable: 'neutral',
  no_tests: 'neutral',
};

/** `1 test fixed, none broken, 214 unchanged` */
export function countResults({ fixed, broken, stillPassing, stillFailing }: Comparison): string {
  const unchanged = stillPassing.length + stillFailing.length;
  const none = broken.length === 0 ? 'none' : formatNumber(broken.length);
  return `${formatCount(fixed.length, 'test')} fixed, ${none} broken, ${formatNumber(unchanged)} unchanged`;
}

function checkTitle({ verdict, reason, comparison }: Verification): string {
  return `${HEADLINES[verdict]}: ${comparison === null ? reason : countResults(comparison)}`;
}

/** The check run on the draft's head; null where there is no draft. It speaks of tests, never of the change being right. */
export function checkRun({ published, prepared, worked }: Run): CheckRequest | null {
  const verification = worked?.verification;
  if (!published || !prepared || !verification) return null;
  return {
    commit: published.commit,
    name: CHECK_NAME,
    conclusion: CONCLUSIONS[verification.verdict],
    title: checkTitle(verification),
    summary: resultText(verification, prepared.base.commit),
  };
}
