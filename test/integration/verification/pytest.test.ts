import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { SuiteResult } from '../../../src/verification/types.ts';
import { openVerifying, type VerifyingWorld } from '../../fakes/verifying.ts';

const COMMAND = '/usr/bin/python3 -m pytest -q -p no:cacheprovider --junitxml="$TADPOLE_REPORT"';

const BUG = 'def total(rows):\n    return sum(rows[1:])\n';
const MENDED = 'def total(rows):\n    return sum(rows)\n';
const TESTS = `from calc import total
import pytest
def test_first_row(): assert total([1, 2]) == 3
def test_empty(): assert total([]) == 0
@pytest.mark.parametrize('row', [0, 'é', 'a::b'])
def test_kinds(row): assert row is not None
@pytest.mark.skip(reason='later')
def test_later(): pass
`;
const PLAIN = { 'calc.py': BUG, 'tests/test_total.py': TESTS, 'conftest.py': '' };

const statesOf = ({ base, patched }: { base: SuiteResult | null; patched: SuiteResult | null }) => [
  base?.state,
  patched?.state,
];

describe('src/verification/verify.ts with pytest', () => {
  let world: VerifyingWorld;
  before(async () => {
    world = await openVerifying();
  });
  afterEach(() => assert.deepEqual(world.alive(), []));
  after(() => world.close());

  test('a fix is verified, test by test', async () => {
    const found = await world.verify({ base: PLAIN, patched: { 'calc.py': MENDED } }, { command: COMMAND });
    assert.deepEqual(statesOf(found), ['ran', 'ran']);
    assert.equal(found.verdict, 'verified');
    assert.equal(found.reason, 'the test that failed before passes now');
    assert.deepEqual(found.comparison, {
      fixed: ['tests/test_total.py::test_first_row'],
      broken: [],
      stillFailing: [],
      stillPassing: [
        'tests/test_total.py::test_empty',
        'tests/test_total.py::test_kinds[0]',
        'tests/test_total.py::test_kinds[\\xe9]',
        'tests/test_total.py::test_kinds[a::b]',
      ],
      new: [],
      vanished: [],
      nowSkipped: [],
      stillSkipped: ['tests/test_total.py::test_later'],
    });
    assert.match(found.base?.tests.find(({ status }) => status === 'failed')?.message ?? '', /assert 2 == 3/);
    assert.equal(found.base?.exitCode, 1);
    assert.equal(found.patched?.exitCode, 0);
  });

  test('a fix that breaks another test is a regression, though the totals are the same', async () => {
    const wrong = 'def total(rows):\n    return sum(rows) if rows else None\n';
    const found = await world.verify({ base: PLAIN, patched: { 'calc.py': wrong } }, { command: COMMAND });
    assert.equal(found.verdict, 'regression');
    assert.deepEqual(found.comparison?.fixed, ['tests/test_total.py::test_first_row']);
    assert.deepEqual(found.comparison?.broken, ['tests/test_total.py::test_empty']);
  });

  test('a deleted failing test proves nothing', async () => {
    const found = await world.verify(
      { base: PLAIN, patched: { 'tests/test_total.py': TESTS.replace(/^def test_first_row.*$/m, '') } },
      { command: COMMAND },
    );
    assert.equal(found.verdict, 'unproven');
    assert.deepEqual(found.comparison?.vanished, ['tests/test_total.py::test_first_row']);
    assert.match(found.reason, /1 test of base did not run any more/);
  });

  test('a skipped failing test proves nothing', async () => {
    const skipped = TESTS.replace('def test_first_row', '@pytest.mark.skip\ndef test_first_row');
    const found = await world.verify(
      { base: PLAIN, patched: { 'tests/test_total.py': skipped } },
      { command: COMMAND },
    );
    assert.equal(found.verdict, 'unproven');
    assert.deepEqual(found.comparison?.nowSkipped, ['tests/test_total.py::test_first_row']);
  });

  test('a change that makes a test module fail to load is a regression', async () => {
    const found = await world.verify(
      { base: PLAIN, patched: { 'calc.py': 'def total(:\n' } },
      { command: COMMAND },
    );
    assert.deepEqual(statesOf(found), ['ran', 'runner_interrupted']);
    assert.equal(found.verdict, 'regression');
    assert.equal(found.patched?.exitCode, 2);
    assert.match(found.patched?.outputTail ?? '', /SyntaxError/);
  });

  test('a base that could not be loaded is not measured, whatever the change does', async () => {
    const found = await world.verify(
      { base: { ...PLAIN, 'calc.py': 'import nowhere\n' }, patched: { 'calc.py': MENDED } },
      { command: COMMAND },
    );
    assert.deepEqual(statesOf(found), ['runner_interrupted', 'ran']);
    assert.equal(found.verdict, 'not_measurable');
  });

  test('no collected test is not green', async () => {
    const found = await world.verify(
      { base: { 'calc.py': BUG }, patched: { 'calc.py': MENDED } },
      { command: COMMAND },
    );
    assert.deepEqual(statesOf(found), ['nothing_collected', 'nothing_collected']);
    assert.equal(found.verdict, 'not_measurable');
    assert.equal(found.base?.exitCode, 5);
  });

  test('the first tests of a repository leave the change unproven', async () => {
    const found = await world.verify(
      { base: { 'calc.py': BUG }, patched: { 'calc.py': MENDED, 'conftest.py': '', 'test_total.py': TESTS } },
      { command: COMMAND },
    );
    assert.equal(found.verdict, 'unproven');
    assert.equal(found.reason, 'base has no tests to fail; 6 tests came with the change');
  });

  const NEVER_GREEN: readonly (readonly [string, string, string, number | null])[] = [
    ['a usage error', `${COMMAND} --no-such-option`, 'runner_usage_error', 4],
    ['a missing runner', 'no-such-runner --junitxml="$TADPOLE_REPORT"', 'runner_could_not_start', 127],
    ['a runner that may not run', './calc.py', 'runner_could_not_start', 126],
    ['a missing pytest', '/usr/bin/python3 -S -m pytest', 'runner_could_not_start', 1],
    ['a command that writes no report', 'true', 'report_missing', 0],
    ['a killed runner', 'kill -9 $$', 'killed', null],
    ['a time limit inside the command', 'timeout 0.1 sleep 30', 'timed_out', 124],
    ['an exit code that a pipe swallowed', `${COMMAND} | cat`, 'report_disagrees', 0],
    ['a failing step after green tests', `${COMMAND} -k empty && false`, 'report_disagrees', 1],
  ];
  for (const [name, command, state, exitCode] of NEVER_GREEN) {
    test(`${name} is ${state} on both sides and never green`, async () => {
      const found = await world.verify({ base: PLAIN, patched: { 'calc.py': MENDED } }, { command });
      assert.equal(found.base?.state, state);
      assert.equal(found.base?.exitCode, exitCode);
      assert.notEqual(found.verdict, 'verified');
    });
  }

  test('setup runs first, in each sandbox; when it fails nothing was measured', async () => {
    const mending = await world.verify(
      { base: PLAIN },
      { command: COMMAND },
      { setup: 'echo "def total(rows): return sum(rows)" > calc.py' },
    );
    assert.deepEqual(mending.comparison?.stillPassing.includes('tests/test_total.py::test_first_row'), true);
    const failing = await world.verify(
      { base: PLAIN },
      { command: COMMAND },
      { setup: 'echo no room >&2; exit 3' },
    );
    assert.deepEqual(statesOf(failing), ['setup_failed', 'setup_failed']);
    assert.equal(failing.base?.outputTail, 'no room');
    assert.equal(failing.verdict, 'not_measurable');
  });

  test('without a report only the exit code is seen, and it proves nothing', async () => {
    const report = { format: 'none', path: null } as const;
    const found = await world.verify(
      { base: PLAIN, patched: { 'calc.py': MENDED } },
      { command: COMMAND, report },
    );
    assert.deepEqual(statesOf(found), ['exit_code_only', 'exit_code_only']);
    assert.equal(found.verdict, 'unproven');
    assert.equal(
      found.reason,
      'the test command failed on base and succeeds with the change; no single tests were seen',
    );
    assert.match(found.notTested[0] ?? '', /^single tests/);
  });

  test('tests that run out of memory are not measured', async () => {
    const hungry =
      'def test_hungry():\n    data = bytearray(800 * 1024 * 1024)\n    data[::4096] = b"x" * len(data[::4096])\n';
    const found = await world.verify(
      { base: { 'test_a.py': 'def test_a(): pass\n' }, patched: { 'test_a.py': hungry } },
      { command: `ulimit -v unlimited 2>/dev/null; ${COMMAND}` },
      { memoryBytes: 128 * 1024 * 1024 },
    );
    assert.equal(found.base?.state, 'ran');
    assert.notEqual(found.patched?.state, 'exit_code_only');
    assert.notEqual(found.verdict, 'verified');
    assert.equal(found.verdict, 'regression');
  });

  test('a signal in the middle of a suite ends it, and the sandbox', async () => {
    const stop = new AbortController();
    const hanging = { 'test_a.py': 'import time\ndef test_a(): time.sleep(600)\n' };
    const found = world.verify(
      { base: hanging },
      { command: `echo begun; ${COMMAND}` },
      { signal: stop.signal },
    );
    setTimeout(() => stop.abort(new Error('enough')), 500);
    await assert.rejects(found);
  });

  test('a policy without a test command makes no sandbox', async () => {
    const { verify } = await import('../../../src/verification/verify.ts');
    const createFilled = () => assert.fail('a sandbox was made');
    const { gatherLog } = await import('../../fakes/log-lines.ts');
    const found = await verify(
      { createFilled, log: gatherLog().log },
      { setup: null, test: null },
      { signal: new AbortController().signal },
    );
    assert.equal(found.verdict, 'no_tests');
    assert.equal(found.reason, 'the policy has no test command');
  });
});
