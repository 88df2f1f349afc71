/** Status of one test in one suite run. An error outside the test's body (fixture, import) is `failed` too. */
export type TestStatus = 'passed' | 'failed' | 'skipped';

export interface TestCase {
  /** Normalised so that base and patched match: `path/to/file.py::Class::name[param]` where the runner tells, else its own name. */
  readonly id: string;
  readonly status: TestStatus;
  readonly durationMs: number | null;
  /** Head and tail of the failure text; hostile, to be neutralised before it is shown. Null unless failed. */
  readonly message: string | null;
}

/** How a suite run ended. Only `ran` and `exit_code_only` are measurements; all else is never green. */
export const SUITE_STATES = [
  /** A report was read and agrees with the exit code. */
  'ran',
  /** The policy asks for no report: exit code 0 or not, no single tests seen. */
  'exit_code_only',
  'nothing_collected',
  'setup_failed',
  'runner_could_not_start',
  'runner_usage_error',
  'runner_internal_error',
  'runner_interrupted',
  'timed_out',
  'out_of_memory',
  'killed',
  'report_missing',
  'report_invalid',
  'report_disagrees',
] as const;
export type SuiteState = (typeof SUITE_STATES)[number];

export interface SuiteResult {
  readonly state: SuiteState;
  readonly exitCode: number | null;
  readonly tests: readonly TestCase[];
  readonly durationMs: number;
  /** Last lines of output for a human, hostile; capped at 4 KiB. */
  readonly outputTail: string;
}

/** Test ids by what became of them, each list sorted. */
export interface Comparison {
  readonly fixed: readonly string[];
  readonly broken: readonly string[];
  readonly stillFailing: readonly string[];
  readonly stillPassing: readonly string[];
  /** Ran only in patched (absent from base, or skipped there); with their status there. */
  readonly new: readonly { readonly id: string; readonly status: TestStatus }[];
  /** Only in base: neither passed nor failed. */
  readonly vanished: readonly string[];
  /** Ran before and is skipped now, or skipped in both. */
  readonly nowSkipped: readonly string[];
  readonly stillSkipped: readonly string[];
}

/** Verdict v1. `verified`: something that failed passes now, nothing broke, vanished or became skipped. */
export type Verdict = 'verified' | 'unproven' | 'regression' | 'not_measurable' | 'no_tests';

export interface Verification {
  readonly verdict: Verdict;
  /** One plain sentence. */
  readonly reason: string;
  readonly command: string | null;
  readonly base: SuiteResult | null;
  readonly patched: SuiteResult | null;
  /** Null unless both suites ran with reports. */
  readonly comparison: Comparison | null;
  /** What was not tested, as facts, one phrase each. */
  readonly notTested: readonly string[];
}
