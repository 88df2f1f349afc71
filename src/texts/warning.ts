import type { Verdict } from '../verification/types.ts';

/** Stands first in every draft: what a green result can't say. */
export const WARNING =
  "Passing tests do not mean that this change is correct. Review it as you would a stranger's patch.";

/** Said wherever a recording took the model's place, so that nobody takes a demonstration for a result. */
export const RECORDED = 'Recorded model: no model was asked, its turns were played back from a recording.';

/** In front of a draft's title, where a list of drafts shows nothing else. */
export const TITLE_PREFIXES: Readonly<Record<Verdict, string>> = {
  verified: '',
  unproven: '[unproven] ',
  regression: '[broken tests] ',
  not_measurable: '[not measured] ',
  no_tests: '[not measured] ',
};

/** The verdict in words, to be followed by its reason. */
export const HEADLINES: Readonly<Record<Verdict, string>> = {
  verified: 'Verified as far as tests can',
  unproven: 'Unproven',
  regression: 'Broken tests',
  not_measurable: 'Not measured',
  no_tests: 'Not measured',
};
