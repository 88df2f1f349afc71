import type { CheckRequest } from '../forge/types.ts';
import type { Run } from '../store/types.ts';
import type { Verdict } from '../verification/types.ts';
import { draftBody } from './draft.ts';
import { plain } from './markdown.ts';
import { WARNING } from './warning.ts';

export const CHECK_NAME = 'Tadpole: verification';

const CONCLUSIONS: Record<Verdict, CheckRequest['conclusion']> = {
  verified: 'success',
  unproven: 'neutral',
  regression: 'failure',
  not_measurable: 'neutral',
  no_tests: 'neutral',
};

/** The check run on the draft's head. `success` only for what was verified; it never says that a change is correct. */
export function checkRun(run: Run): CheckRequest | null {
  const { published, worked } = run;
  const verification = worked?.verification;
  if (!published || !verification) return null;
  return {
    commit: published.commit,
    name: CHECK_NAME,
    conclusion: CONCLUSIONS[verification.verdict],
    title: plain(verification.reason, 200),
    summary: `${WARNING}\n\n${draftBody(run)}`.slice(0, 60_000),
  };
}
