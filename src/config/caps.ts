import { z } from 'zod';
import { whole } from './values.ts';
import { withDefault } from './variable.ts';

/** Limits of this server that no repository's policy can raise. */
export interface CapsConfig {
  /** Model turns of one run. */
  readonly steps: number;
  /** Wall time of the agent in one run. */
  readonly minutes: number;
  readonly filesChanged: number;
  /** Runs of one repository in 24 hours. */
  readonly runsADay: number;
  readonly runsAnHourPerIssue: number;
}

export const CapsVariables = z.object({
  CAP_STEPS: withDefault(whole(1, 1_000), '150', 'Most model turns in one run'),
  CAP_MINUTES: withDefault(whole(1, 180), '60', 'Longest time that the model may work in one run'),
  CAP_FILES_CHANGED: withDefault(whole(1, 10_000), '100', 'Most files that one draft may change'),
  CAP_RUNS_A_DAY: withDefault(whole(1, 10_000), '50', 'Most runs of one repository in 24 hours'),
  CAP_RUNS_AN_HOUR_PER_ISSUE: withDefault(whole(1, 1_000), '6', 'Most runs of one issue in an hour'),
});

/** The caps under their own names. Total. */
export function toCaps(values: z.output<typeof CapsVariables>): CapsConfig {
  return {
    steps: values.CAP_STEPS,
    minutes: values.CAP_MINUTES,
    filesChanged: values.CAP_FILES_CHANGED,
    runsADay: values.CAP_RUNS_A_DAY,
    runsAnHourPerIssue: values.CAP_RUNS_AN_HOUR_PER_ISSUE,
  };
}
