import type { SuiteState } from './types.ts';

/** Test runners whose exit codes we know; `unknown` goes by the shell's conventions alone. */
export type Runner = 'pytest' | 'node_test' | 'unknown';

/** How a test command ended, as far as the sandbox knows. */
export interface Ending {
  readonly exitCode: number | null;
  readonly signal: number | null;
  readonly timedOut: boolean;
  readonly outOfMemory: boolean;
}

const PYTEST = /(?:^|[\s;&|(/])(?:pytest|py\.test)(?=[\s;&|)]|$)/;
const NODE_TEST = /(?:^|[\s;&|(/])node\s(?:[^;&|]*\s)?--test(?=[\s;&|)]|$)/;

/** The runner that a command names. Two runners in one command, or one behind a script, are `unknown`. */
export function detectRunner(command: string): Runner {
  const isPytest = PYTEST.test(command);
  const isNodeTest = NODE_TEST.test(command);
  if (isPytest === isNodeTest) return 'unknown';
  return isPytest ? 'pytest' : 'node_test';
}

/** Codes of the shell and of coreutils' `timeout`, the same for every runner. */
const SHELL_STATES: Readonly<Record<number, SuiteState>> = {
  124: 'timed_out',
  126: 'runner_could_not_start',
  127: 'runner_could_not_start',
};

const RUNNER_STATES: Readonly<Record<Runner, Readonly<Record<number, SuiteState>>>> = {
  pytest: {
    2: 'runner_interrupted',
    3: 'runner_internal_error',
    4: 'runner_usage_error',
    5: 'nothing_collected',
  },
  node_test: { 9: 'runner_usage_error' },
  unknown: {},
};

/** The first exit code by which a shell says that a signal ended the program. */
const FIRST_SIGNAL_CODE = 129;
const LAST_SIGNAL_CODE = 128 + 64;

/** The state that the ending alone decides; null when the suite ran to its end (0: passed, else: something failed). */
export function judgeEnding(ending: Ending, runner: Runner): SuiteState | null {
  if (ending.timedOut) return 'timed_out';
  if (ending.outOfMemory) return 'out_of_memory';
  // No exit code is an unknown ending, and an unknown ending is never a measurement.
  if (ending.signal !== null || ending.exitCode === null) return 'killed';
  if (ending.exitCode >= FIRST_SIGNAL_CODE && ending.exitCode <= LAST_SIGNAL_CODE) return 'killed';
  return SHELL_STATES[ending.exitCode] ?? RUNNER_STATES[runner][ending.exitCode] ?? null;
}

/** What the runners print when they end with an ordinary code though they never came to run a test. */
const TELLING_OUTPUT: Readonly<
  Record<Runner, readonly { readonly sign: RegExp; readonly state: SuiteState }[]>
> = {
  pytest: [{ sign: /No module named '?"?pytest/, state: 'runner_could_not_start' }],
  node_test: [{ sign: /^Could not find '/m, state: 'nothing_collected' }],
  unknown: [],
};

/** Why there is no report. Output is hostile, so it may only choose among states that are never green. */
export function judgeMissingReport(outputTail: string, runner: Runner): SuiteState {
  const told = TELLING_OUTPUT[runner].find(({ sign }) => sign.test(outputTail));
  return told?.state ?? 'report_missing';
}
