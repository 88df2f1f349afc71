import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runProgram } from '../../../src/commands/program.ts';
import type { Commands } from '../../../src/commands/types.ts';

/** The program with commands that remember what they were called with. */
async function type(line: readonly string[], answer = 0) {
  const calls: unknown[] = [];
  const output = { out: '', err: '' };
  const take =
    (name: string) =>
    async (...args: unknown[]) => {
      calls.push([name, ...args]);
      return answer;
    };
  const commands: Commands = {
    start: take('start'),
    serve: take('serve'),
    work: take('work'),
    receive: take('receive'),
    try: take('try'),
    runs: take('runs'),
    doctor: take('doctor'),
  };
  const terminal = {
    out: (text: string) => {
      output.out += text;
    },
    err: (text: string) => {
      output.err += text;
    },
  };
  const exitCode = await runProgram(line, { commands, version: '1.2.3', terminal });
  return { exitCode, calls, ...output };
}

const NAMES = ['start', 'serve', 'work', 'receive', 'try', 'runs', 'doctor'];

describe('src/commands/program.ts', () => {
  for (const name of ['start', 'serve', 'work']) {
    test(`${name} calls its command and hands its exit code on`, async () => {
      const { exitCode, calls } = await type([name], 7);
      assert.deepEqual(calls, [[name]]);
      assert.equal(exitCode, 7);
    });
  }

  test('try without options means the sample, once = false and the port that the documents name', async () => {
    const { calls } = await type(['try']);
    assert.deepEqual(calls, [['try', { once: false, json: false, port: 8787, own: null }]]);
  });

  test('try takes a repository with its issue and test command', async () => {
    const line = [
      'try',
      '--once',
      '--json',
      '--port',
      '0',
      '--repo',
      'a',
      '--issue',
      'b.md',
      '--test-command',
      'make test',
    ];
    const { calls } = await type(line);
    const own = { path: 'a', issueFile: 'b.md', testCommand: 'make test' };
    assert.deepEqual(calls, [['try', { once: true, json: true, port: 0, own }]]);
  });

  for (const line of [
    ['--repo', 'a'],
    ['--issue', 'b'],
    ['--test-command', 'c'],
  ]) {
    test(`try refuses ${line[0]} alone, as a usage error`, async () => {
      const { exitCode, calls, err } = await type(['try', ...line]);
      assert.equal(exitCode, 2);
      assert.deepEqual(calls, []);
      assert.match(err, /go together|goes with/);
    });
  }

  test('receive hands the file on and wants one', async () => {
    assert.deepEqual((await type(['receive', 'x.json'])).calls, [['receive', 'x.json']]);
    assert.equal((await type(['receive'])).exitCode, 2);
  });

  test('runs and doctor have their options', async () => {
    assert.deepEqual((await type(['runs', '-n', '3', '--json'])).calls, [['runs', { limit: 3, json: true }]]);
    assert.deepEqual((await type(['runs'])).calls, [['runs', { limit: 20, json: false }]]);
    assert.deepEqual((await type(['doctor'])).calls, [['doctor', { json: false }]]);
  });

  for (const number of ['0', '1001', '1.5', '-3', 'x']) {
    test(`a limit of ${number} is refused`, async () => {
      const { exitCode, calls } = await type(['runs', '--limit', number]);
      assert.equal(exitCode, 2);
      assert.deepEqual(calls, []);
    });
  }

  test('an unknown command is a usage error with the nearest name', async () => {
    const { exitCode, err } = await type(['strat']);
    assert.equal(exitCode, 2);
    assert.match(err, /Did you mean start/);
  });

  test('--version prints the version alone', async () => {
    assert.deepEqual(await type(['--version']), { exitCode: 0, calls: [], out: '1.2.3\n', err: '' });
  });

  test('--help names every command', async () => {
    const { exitCode, out } = await type(['--help']);
    assert.equal(exitCode, 0);
    for (const name of NAMES) assert.match(out, new RegExp(`^  ${name}\\b`, 'm'));
  });

  for (const name of NAMES) {
    test(`${name} --help has examples and the environment, and goes to standard output`, async () => {
      const { exitCode, out, err, calls } = await type([name, '--help']);
      assert.equal(exitCode, 0);
      assert.equal(err, '');
      assert.deepEqual(calls, []);
      assert.match(out, /^Examples:\n {2}\S/m);
      assert.match(out, new RegExp(`tadpole ${name}`));
      assert.match(out, /^Environment:\n {2}\S/m);
    });
  }

  test('what a command throws is not swallowed', async () => {
    const commands = { start: () => Promise.reject(new Error('boom')) } as unknown as Commands;
    const terminal = { out: () => {}, err: () => {} };
    await assert.rejects(runProgram(['start'], { commands, version: '0', terminal }), /boom/);
  });
});
