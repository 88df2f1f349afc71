import { compare } from './compare.ts';
import type { Comparison, SuiteResult, SuiteState, Verification } from './types.ts';

/** What a suite's state means for a reader, after "the tests of base …". */
export const STATE_PHRASES = {
  ran: 'ran',
  exit_code_only: 'ran, seen by exit code only',
  nothing_collected: 'could not be measured: no test was collected',
  setup_failed: "could not be measured: the policy's setup command failed",
  runner_could_not_start: 'could not be measured: the test runner could not start',
  runner_usage_error: 'could not be measured: the test runner refused its arguments',
  runner_internal_error: 'could not be measured: the test runner failed inside itself',
  runner_interrupted:
    'could not be measured: the run was interrupted, often by an error while tests are collected',
  timed_out: 'could not be measured: the time limit ended them',
  out_of_memory: 'could not be measured: the memory limit ended them',
  killed: 'could not be measured: a signal ended them',
  report_missing: 'could not be measured: the test command left no report',
  report_invalid: 'could not be measured: the report is not one that can be read',
  report_disagrees: 'could not be measured: report and exit code disagree',
} as const satisfies Record<SuiteState, string>;

export type Judgement = Pick<Verification, 'verdict' | 'reason' | 'comparison'>;

function isMeasured({ state }: SuiteResult): boolean {
  return state === 'ran' || state === 'exit_code_only';
}

/** `1 test`, `2 tests`; none is `no test`. */
function countTests(count: number): string {
  if (count === 0) return 'no test';
  return count === 1 ? '1 test' : `${count.toLocaleString('en-US')} tests`;
}

/** Signs that a failure lies in the surroundings and not in the code: nothing could be imported, found or reached. */
const ENVIRONMENT =
  /ModuleNotFoundError|ImportError|Cannot find (?:module|package)|ERR_MODULE_NOT_FOUND|command not found|No such file or directory|Connection refused|ECONNREFUSED|EAI_AGAIN|Network is unreachable|Temporary failure in name resolution|Permission denied/i;

/** Not one test passes on either side, and each failure on base speaks of the surroundings. */
function failsEverywhere(base: SuiteResult, patched: SuiteResult): boolean {
  const failed = base.tests.filter(({ status }) => status === 'failed');
  const passes = [base, patched].some(({ tests }) => tests.some(({ status }) => status === 'passed'));
  return failed.length > 0 && !passes && failed.every(({ message }) => ENVIRONMENT.test(message ?? ''));
}

/** Facts against the change, each one enough to call it a regression. */
function listDamage({ broken, new: added }: Comparison): readonly string[] {
  const newFailing = added.filter(({ status }) => status === 'failed').length;
  const facts: string[] = [];
  if (broken.length > 0)
    facts.push(`${countTests(broken.length)} that did not fail before fail${s(broken.length)} now`);
  if (newFailing > 0) facts.push(`${countTests(newFailing)} that base does not have fail${s(newFailing)}`);
  return facts;
}

/** The ending of a verb whose subject counts so many. */
function s(count: number): string {
  return count === 1 ? 's' : '';
}

/** Facts that leave the change unproven, though nothing fails that did not fail before. */
function listDoubts({ vanished, nowSkipped, fixed }: Comparison): readonly string[] {
  const facts: string[] = [];
  if (vanished.length > 0) facts.push(`${countTests(vanished.length)} of base did not run any more`);
  if (nowSkipped.length > 0) facts.push(`${countTests(nowSkipped.length)} became skipped`);
  if (fixed.length === 0) facts.push('no test that failed before passes now');
  return facts;
}

function describeFixed({ fixed, stillFailing }: Comparison): string {
  const first =
    fixed.length === 1
      ? 'the test that failed before passes now'
      : `${countTests(fixed.length)} that failed before pass now`;
  if (stillFailing.length === 0) return first;
  const count = countTests(stillFailing.length);
  const some = fixed.length === 1 ? '1 test that failed before passes now' : first;
  return `${some}, ${count} still fail${s(stillFailing.length)}`;
}

function judgeReports(base: SuiteResult, patched: SuiteResult): Judgement {
  const comparison = compare(base.tests, patched.tests);
  if (failsEverywhere(base, patched)) {
    const reason =
      'every test fails with and without the change, as if something were missing in the sandbox';
    return { verdict: 'not_measurable', reason, comparison };
  }
  const damage = listDamage(comparison);
  if (damage.length > 0) return { verdict: 'regression', reason: damage.join('; '), comparison };
  const doubts = listDoubts(comparison);
  if (doubts.length > 0) return { verdict: 'unproven', reason: doubts.join('; '), comparison };
  return { verdict: 'verified', reason: describeFixed(comparison), comparison };
}

/** An exit code shows no single test: it can tell that something broke, and never proves that something was fixed. */
function judgeExitCodes(base: SuiteResult, patched: SuiteResult): Judgement {
  const before = base.exitCode === 0 ? 'succeeded' : 'failed';
  const after = patched.exitCode === 0 ? 'succeeds' : 'fails';
  const verdict = before === 'succeeded' && after === 'fails' ? 'regression' : 'unproven';
  const reason = `the test command ${before} on base and ${after} with the change; no single tests were seen`;
  return { verdict, reason, comparison: null };
}

/** Base has no tests at all and the change brings the first: they ran, but on base there was nothing to fail. */
function judgeFirstTests(patched: SuiteResult): Judgement {
  const failed = patched.tests.filter(({ status }) => status === 'failed').length;
  if (failed > 0) {
    return {
      verdict: 'regression',
      reason: `base has no tests; ${countTests(failed)} of the change fail${s(failed)}`,
      comparison: null,
    };
  }
  const reason = `base has no tests to fail; ${countTests(patched.tests.length)} came with the change`;
  return { verdict: 'unproven', reason, comparison: null };
}

/** The verdict on two suite runs: a pure table. Only `verified` is green, and only tests that were seen can make it so. */
export function judge(base: SuiteResult, patched: SuiteResult): Judgement {
  const changed = `with the change the tests ${STATE_PHRASES[patched.state]}`;
  if (isMeasured(base)) {
    // The same command could be measured without the change, so whatever stops it now came with the change.
    if (!isMeasured(patched)) return { verdict: 'regression', reason: changed, comparison: null };
    return base.state === 'exit_code_only' ? judgeExitCodes(base, patched) : judgeReports(base, patched);
  }
  if (base.state === 'nothing_collected' && patched.state === 'ran') return judgeFirstTests(patched);
  const reason = `the tests of base ${STATE_PHRASES[base.state]}; ${changed}`;
  return { verdict: 'not_measurable', reason, comparison: null };
}
