import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  detectRunner,
  judgeEnding,
  judgeMissingReport,
  type Runner,
} from '../../../src/verification/exit-codes.ts';
import type { SuiteState } from '../../../src/verification/types.ts';

const ended = { exitCode: 0, signal: null, timedOut: false, outOfMemory: false };

describe('src/verification/exit-codes.ts', () => {
  const RUNNERS: readonly (readonly [string, Runner])[] = [
    ['pytest -q', 'pytest'],
    ['python -m pytest -q --junitxml="$TADPOLE_REPORT"', 'pytest'],
    ['cd sub && PYTHONPATH=. /opt/venv/bin/pytest', 'pytest'],
    ['py.test', 'pytest'],
    ['node --test --test-reporter=junit', 'node_test'],
    ['node --import tsx --test', 'node_test'],
    ['/opt/node --enable-source-maps --test "test/**/*.js"', 'node_test'],
    ['npm test', 'unknown'],
    ['pytest-runner x', 'unknown'],
    ['node build.js && make --test', 'unknown'],
    ['pytest && node --test', 'unknown'],
    ['make check', 'unknown'],
  ];
  for (const [command, runner] of RUNNERS)
    test(`${command} is ${runner}`, () => assert.equal(detectRunner(command), runner));

  const STATES: readonly (readonly [number, Runner, SuiteState | null])[] = [
    [0, 'pytest', null],
    [1, 'pytest', null],
    [2, 'pytest', 'runner_interrupted'],
    [3, 'pytest', 'runner_internal_error'],
    [4, 'pytest', 'runner_usage_error'],
    [5, 'pytest', 'nothing_collected'],
    [6, 'pytest', null],
    [1, 'node_test', null],
    [9, 'node_test', 'runner_usage_error'],
    [2, 'unknown', null],
    [5, 'unknown', null],
    [124, 'unknown', 'timed_out'],
    [126, 'pytest', 'runner_could_not_start'],
    [127, 'node_test', 'runner_could_not_start'],
    [128, 'unknown', null],
    [129, 'unknown', 'killed'],
    [134, 'pytest', 'killed'],
    [137, 'unknown', 'killed'],
    [139, 'pytest', 'killed'],
    [143, 'node_test', 'killed'],
    [255, 'unknown', null],
  ];
  for (const [exitCode, runner, state] of STATES) {
    test(`${exitCode} of ${runner} is ${state ?? 'an end of its own'}`, () =>
      assert.equal(judgeEnding({ ...ended, exitCode }, runner), state));
  }

  test('what the sandbox knows comes before the exit code', () => {
    assert.equal(judgeEnding({ ...ended, timedOut: true }, 'pytest'), 'timed_out');
    assert.equal(judgeEnding({ ...ended, outOfMemory: true }, 'pytest'), 'out_of_memory');
    assert.equal(judgeEnding({ ...ended, exitCode: null, signal: 9 }, 'pytest'), 'killed');
    assert.equal(
      judgeEnding({ ...ended, exitCode: null, signal: 9, outOfMemory: true }, 'pytest'),
      'out_of_memory',
    );
  });

  test('an unknown ending is never a measurement', () => {
    assert.equal(judgeEnding({ ...ended, exitCode: null }, 'unknown'), 'killed');
  });

  test('a missing report has its reason where the runner tells it', () => {
    assert.equal(
      judgeMissingReport('/usr/bin/python3: No module named pytest', 'pytest'),
      'runner_could_not_start',
    );
    assert.equal(judgeMissingReport("Could not find 'a.js'", 'node_test'), 'nothing_collected');
    assert.equal(judgeMissingReport('/usr/bin/python3: No module named pytest', 'unknown'), 'report_missing');
    assert.equal(judgeMissingReport('', 'pytest'), 'report_missing');
  });
});
