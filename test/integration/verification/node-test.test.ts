import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { openVerifying, type VerifyingWorld } from '../../fakes/verifying.ts';

const COMMAND = 'node --test --test-reporter=junit --test-reporter-destination="$TADPOLE_REPORT"';

const BUG = 'export const total = (rows) => rows.slice(1).reduce((a, b) => a + b, 0);\n';
const MENDED = 'export const total = (rows) => rows.reduce((a, b) => a + b, 0);\n';
const TESTS = `import assert from 'node:assert';
import test, { describe, it } from 'node:test';
import { total } from '../total.js';
test('same name', () => {});
test('same name', () => {});
describe('total', () => {
  it('counts the first row', () => assert.equal(total([1, 2]), 3));
  describe('of nothing > é', () => { it('is 0', () => assert.equal(total([]), 0)); it.skip('later'); it.todo('some day'); });
});
`;
const PLAIN = { 'package.json': '{"type":"module"}', 'total.js': BUG, 'test/total.test.js': TESTS };

describe('src/verification/verify.ts with node --test', () => {
  let world: VerifyingWorld;
  before(async () => {
    world = await openVerifying();
  });
  afterEach(() => assert.deepEqual(world.alive(), []));
  after(() => world.close());

  test('a fix is verified, by file, suites and name', async () => {
    const found = await world.verify({ base: PLAIN, patched: { 'total.js': MENDED } }, { command: COMMAND });
    assert.equal(found.verdict, 'verified', JSON.stringify(found));
    assert.deepEqual(found.comparison, {
      fixed: ['test/total.test.js::total::counts the first row'],
      broken: [],
      stillFailing: [],
      stillPassing: [
        'test/total.test.js::same name',
        'test/total.test.js::same name #2',
        'test/total.test.js::total::of nothing > é::is 0',
      ],
      new: [],
      vanished: [],
      nowSkipped: [],
      stillSkipped: [
        'test/total.test.js::total::of nothing > é::later',
        'test/total.test.js::total::of nothing > é::some day',
      ],
    });
  });

  test('a module that could not be loaded, and now can, counts by the tests in it', async () => {
    const base = { ...PLAIN, 'total.js': 'import "./nowhere.js";\n' };
    const found = await world.verify({ base, patched: { 'total.js': MENDED } }, { command: COMMAND });
    assert.deepEqual(found.comparison?.fixed, ['test/total.test.js']);
    assert.deepEqual(found.comparison?.vanished, []);
    assert.equal(found.verdict, 'verified');
  });

  test('a module that cannot be loaded any more is a regression', async () => {
    const found = await world.verify(
      { base: PLAIN, patched: { 'total.js': 'export const total = (\n' } },
      { command: COMMAND },
    );
    assert.equal(found.verdict, 'regression');
    assert.ok(found.comparison?.vanished.includes('test/total.test.js::total::counts the first row'));
    assert.deepEqual(found.comparison?.new, [{ id: 'test/total.test.js', status: 'failed' }]);
  });

  test('a failing parent of passing subtests is not taken for green', async () => {
    const parent = `import test from 'node:test';\ntest('parent', async (t) => { await t.test('sub', () => {}); throw new Error('itself'); });\n`;
    const green = parent.replace("throw new Error('itself'); ", '');
    const found = await world.verify(
      { base: { ...PLAIN, 'test/total.test.js': green }, patched: { 'test/total.test.js': parent } },
      { command: COMMAND },
    );
    assert.equal(found.patched?.state, 'report_disagrees');
    assert.equal(found.verdict, 'regression');
  });

  test('no test files, a missing file and a wrong option are never green', async () => {
    const none = await world.verify({ base: { 'package.json': '{}' } }, { command: COMMAND });
    assert.equal(none.base?.state, 'nothing_collected');
    const missing = await world.verify({ base: PLAIN }, { command: `${COMMAND} missing.js` });
    assert.equal(missing.base?.state, 'nothing_collected');
    const wrong = await world.verify({ base: PLAIN }, { command: `${COMMAND} --no-such-option` });
    assert.equal(wrong.base?.state, 'runner_usage_error');
    for (const { verdict } of [none, missing, wrong]) assert.equal(verdict, 'not_measurable');
  });

  test('a runner behind npm-like scripts is understood by its report', async () => {
    const found = await world.verify(
      { base: { ...PLAIN, 'run-tests.sh': `${COMMAND}\n` }, patched: { 'total.js': MENDED } },
      { command: 'sh run-tests.sh' },
    );
    assert.equal(found.verdict, 'verified');
    assert.deepEqual(found.comparison?.fixed, ['test/total.test.js::total::counts the first row']);
  });
});
