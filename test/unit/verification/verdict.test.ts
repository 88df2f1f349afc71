import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  SUITE_STATES,
  type SuiteResult,
  type SuiteState,
  type TestStatus,
  type Verdict,
} from '../../../src/verification/types.ts';
import { judge, STATE_PHRASES } from '../../../src/verification/verdict.ts';
import { suite, testCase } from '../../fixtures/runs.ts';

const ran = (statuses: Readonly<Record<string, TestStatus>>, message?: string) =>
  suite(Object.entries(statuses).map(([id, status]) => testCase(id, status, message)));
const ended = (state: SuiteState, exitCode: number | null = 1): SuiteResult => suite([], { state, exitCode });

const UNMEASURED = SUITE_STATES.filter((state) => state !== 'ran' && state !== 'exit_code_only');

describe('src/verification/verdict.ts', () => {
  const TABLE: readonly (readonly [string, SuiteResult, SuiteResult, Verdict, string])[] = [
    [
      'one fixed',
      ran({ a: 'failed', b: 'passed' }),
      ran({ a: 'passed', b: 'passed' }),
      'verified',
      'the test that failed before passes now',
    ],
    [
      'two fixed',
      ran({ a: 'failed', b: 'failed' }),
      ran({ a: 'passed', b: 'passed' }),
      'verified',
      '2 tests that failed before pass now',
    ],
    [
      'one of two fixed',
      ran({ a: 'failed', b: 'failed' }),
      ran({ a: 'passed', b: 'failed' }),
      'verified',
      '1 test that failed before passes now, 1 test still fails',
    ],
    [
      'nothing fixed',
      ran({ a: 'passed' }),
      ran({ a: 'passed' }),
      'unproven',
      'no test that failed before passes now',
    ],
    [
      'a new passing test only',
      ran({ a: 'passed' }),
      ran({ a: 'passed', n: 'passed' }),
      'unproven',
      'no test that failed before passes now',
    ],
    [
      'fixed and broken',
      ran({ a: 'failed', b: 'passed' }),
      ran({ a: 'passed', b: 'failed' }),
      'regression',
      '1 test that did not fail before fails now',
    ],
    [
      'fixed, and a new test fails',
      ran({ a: 'failed' }),
      ran({ a: 'passed', n: 'failed' }),
      'regression',
      '1 test that base does not have fails',
    ],
    [
      'fixed and vanished',
      ran({ a: 'failed', b: 'passed' }),
      ran({ a: 'passed' }),
      'unproven',
      '1 test of base did not run any more',
    ],
    [
      'fixed and skipped',
      ran({ a: 'failed', b: 'passed' }),
      ran({ a: 'passed', b: 'skipped' }),
      'unproven',
      '1 test became skipped',
    ],
    [
      'all fail on both sides for want of a module',
      ran({ a: 'failed' }, 'ModuleNotFoundError: x'),
      ran({ a: 'failed' }),
      'not_measurable',
      'every test fails with and without the change, as if something were missing in the sandbox',
    ],
    [
      'all fail on both sides for a reason of their own',
      ran({ a: 'failed' }),
      ran({ a: 'failed' }),
      'unproven',
      'no test that failed before passes now',
    ],
    [
      'all failed for want of a module that the change adds',
      ran({ a: 'failed' }, 'ModuleNotFoundError: x'),
      ran({ a: 'passed' }),
      'verified',
      'the test that failed before passes now',
    ],
    [
      'exit code red to green',
      ended('exit_code_only', 1),
      ended('exit_code_only', 0),
      'unproven',
      'the test command failed on base and succeeds with the change; no single tests were seen',
    ],
    [
      'exit code green to red',
      ended('exit_code_only', 0),
      ended('exit_code_only', 1),
      'regression',
      'the test command succeeded on base and fails with the change; no single tests were seen',
    ],
    [
      'exit code green twice',
      ended('exit_code_only', 0),
      ended('exit_code_only', 0),
      'unproven',
      'the test command succeeded on base and succeeds with the change; no single tests were seen',
    ],
    [
      'exit code red twice',
      ended('exit_code_only', 1),
      ended('exit_code_only', 2),
      'unproven',
      'the test command failed on base and fails with the change; no single tests were seen',
    ],
    [
      'first tests',
      ended('nothing_collected', 5),
      ran({ a: 'passed' }),
      'unproven',
      'base has no tests to fail; 1 test came with the change',
    ],
    [
      'first tests that fail',
      ended('nothing_collected', 5),
      ran({ a: 'failed', b: 'failed' }),
      'regression',
      'base has no tests; 2 tests of the change fail',
    ],
    [
      'time-out before but not after',
      ended('timed_out', null),
      ran({ a: 'passed' }),
      'not_measurable',
      'the tests of base could not be measured: the time limit ended them; with the change the tests ran',
    ],
    [
      'time-out after but not before',
      ran({ a: 'failed' }),
      ended('timed_out', null),
      'regression',
      'with the change the tests could not be measured: the time limit ended them',
    ],
  ];
  for (const [name, base, patched, verdict, reason] of TABLE) {
    test(`${name}: ${verdict}`, () => {
      const found = judge(base, patched);
      assert.equal(found.verdict, verdict);
      assert.equal(found.reason, reason);
    });
  }

  test('no state but a measurement on both sides is ever verified', () => {
    const green = ran({ a: 'passed' });
    const red = ran({ a: 'failed' });
    for (const state of UNMEASURED) {
      assert.notEqual(judge(ended(state), green).verdict, 'verified', state);
      assert.equal(judge(red, ended(state, 0)).verdict, 'regression', state);
      for (const other of UNMEASURED)
        assert.equal(judge(ended(state), ended(other)).verdict, 'not_measurable', `${state}, ${other}`);
    }
  });

  test('tests named by a run that is no measurement count for nothing', () => {
    const lying = { ...ran({ a: 'passed' }), state: 'report_disagrees' as const };
    const found = judge(ran({ a: 'failed' }), lying);
    assert.equal(found.verdict, 'regression');
    assert.equal(found.comparison, null);
  });

  test('every state has words', () =>
    assert.deepEqual(Object.keys(STATE_PHRASES).sort(), [...SUITE_STATES].sort()));
});
