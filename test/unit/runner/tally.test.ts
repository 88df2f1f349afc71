import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Tally } from '../../runner/tally.ts';
import { createMachine, launch } from '../scripts/machine.ts';

const RUNNER = new URL('../../runner/tally.ts', import.meta.url).href;

/** What the runner counts of one file with this content, in a process of its own as node:test can't run in itself. */
async function tallyOf(content: string): Promise<Omit<Tally, 'output'> & { output: [string, string][] }> {
  const { write } = createMachine();
  const file = write('some.test.ts', content);
  const runner = write(
    'runner.mjs',
    `
    import { run } from 'node:test';
    import { countAll, createTally } from '${RUNNER}';
    const tally = createTally();
    await countAll(tally, run({ files: [${JSON.stringify(file)}], isolation: 'process' }));
    console.log(JSON.stringify({ ...tally, output: [...tally.output] }));
  `,
  );
  const { ended } = launch(process.execPath, [runner], { PATH: '/usr/bin:/bin' });
  const { out, err } = await ended;
  assert.equal(err, '');
  return JSON.parse(out);
}

const HEAD = "import { describe, test } from 'node:test'; import assert from 'node:assert/strict';\n";

describe('test/runner/tally.ts', () => {
  test('counts tests, not the suites around them', async () => {
    const { passed, failures } = await tallyOf(
      `${HEAD}describe('a', () => { test('b', () => {}); describe('c', () => { test('d', () => {}); }); });`,
    );
    assert.equal(passed, 2);
    assert.deepEqual(failures, []);
  });

  test('a failure has its place, its difference and its stack, and is counted once', async () => {
    const { failures } = await tallyOf(
      `${HEAD}describe('a', () => { test('b', () => { assert.deepEqual({ x: 1 }, { x: 2 }); }); });`,
    );
    assert.deepEqual(
      failures.map(({ name }) => name),
      ['a › b'],
    );
    assert.match(failures[0]?.text ?? '', /x: 1[\s\S]*x: 2[\s\S]*some\.test\.ts/);
  });

  test('a suite that breaks outside its tests is a failure', async () => {
    const { failures } = await tallyOf(`${HEAD}describe('a', () => { throw new Error('in the suite'); });`);
    assert.equal(failures.length, 1);
    assert.match(failures[0]?.text ?? '', /in the suite/);
  });

  test('skipped tests are listed with their reason', async () => {
    const { passed, skipped } = await tallyOf(
      `${HEAD}test('a', { skip: 'no cluster' }, () => {}); test.skip('b', () => {}); test.todo('c');`,
    );
    assert.equal(passed, 0);
    assert.deepEqual(
      skipped.map(({ name, reason }) => [name, reason]),
      [
        ['a', 'no cluster'],
        ['b', 'no reason given'],
        ['c', 'no reason given'],
      ],
    );
  });

  test('a file that cannot be loaded is a failure, and what it printed is kept', async () => {
    const { failures, output } = await tallyOf("throw new Error('at load');");
    assert.deepEqual(
      failures.map(({ name }) => name),
      ['the file'],
    );
    assert.match(output.map(([, text]) => text).join(''), /Error: at load/);
  });

  test('a file that dies after its last test is a failure', async () => {
    const { passed, failures } = await tallyOf(
      `${HEAD}test('a', () => { setTimeout(() => process.exit(3), 20); });`,
    );
    assert.ok(passed <= 1);
    assert.equal(failures.length, 1);
  });

  test('a file without tests is a failure', async () => {
    const { failures } = await tallyOf("console.log('nothing here');");
    assert.deepEqual(
      failures.map(({ name, text }) => [name, text]),
      [['the file', 'has no tests in it']],
    );
  });
});
