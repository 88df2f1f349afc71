import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compare } from '../../../src/verification/compare.ts';
import { listNotTested } from '../../../src/verification/not-tested.ts';
import { policy, suite, testCase } from '../../fixtures/runs.ts';

const withCommand = (command: string) => ({ setup: null, test: { ...policy().test!, command } });
const ALWAYS = [
  'anything that needs a network',
  'whether results repeat (each suite ran once)',
  "base's own version of tests that the change edits",
];

describe('src/verification/not-tested.ts', () => {
  test('the plain facts are always told', () => {
    const patched = suite([testCase('a', 'passed')]);
    const facts = listNotTested({
      suite: withCommand('pytest'),
      patched,
      comparison: compare(patched.tests, patched.tests),
    });
    assert.deepEqual(facts, [...ALWAYS, 'no linter or type check is in the policy']);
  });

  test('skipped, vanished and new tests are counted first', () => {
    const patched = suite([testCase('a', 'skipped'), testCase('b', 'skipped'), testCase('n', 'passed')]);
    const comparison = compare(
      [testCase('gone', 'passed'), testCase('a', 'skipped'), testCase('b', 'skipped')],
      patched.tests,
    );
    assert.deepEqual(listNotTested({ suite: withCommand('pytest'), patched, comparison }).slice(0, 3), [
      '2 skipped tests',
      '1 test of base that did not run with the change',
      'whether 1 new test would fail on base',
    ]);
  });

  test('an exit code alone shows no single tests', () => {
    const patched = suite([], { state: 'exit_code_only' });
    const [first] = listNotTested({ suite: withCommand('make check'), patched, comparison: null });
    assert.equal(first, 'single tests (the policy asks for no report, so only the exit code was seen)');
  });

  for (const command of [
    'ruff check . && pytest',
    'npx eslint . && npm test',
    'mypy src; pytest',
    'tsc && node --test',
  ]) {
    test(`${command} has a linter or type check`, () => {
      const patched = suite([testCase('a', 'passed')]);
      assert.deepEqual(listNotTested({ suite: withCommand(command), patched, comparison: null }), ALWAYS);
    });
  }
});
