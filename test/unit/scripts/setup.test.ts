import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createMachine, launch, SETUP, SETUP_SCRIPT } from './machine.ts';

/** A root whose Node is the one that runs the tests, and a script in it under `runUnderNode`. */
function runScript(script: string) {
  const machine = createMachine();
  mkdirSync(join(machine.folder, 'node_modules/.bin'), { recursive: true });
  symlinkSync(process.execPath, join(machine.folder, 'node_modules/.bin/node'));
  const file = machine.write('script.mjs', script);
  return machine.start(`
    const { runUnderNode } = await import('${SETUP}run.mjs');
    runUnderNode(${JSON.stringify(machine.folder)}, [${JSON.stringify(file)}, 'a b', '--flag']);
  `);
}

describe('scripts/setup.mjs', () => {
  test('a Node that is too old is told as such, before anything else', async () => {
    const pretend = "data:text/javascript,Object.defineProperty(process.versions,'node',{value:'18.20.1'})";
    const { ended } = launch(process.execPath, ['--import', pretend, SETUP_SCRIPT, 'run', 'x'], {});
    const { code, err } = await ended;
    assert.equal(code, 1);
    assert.match(err, /^Tadpole needs Node 20 or newer to set itself up; this is Node 18\.20\.1\./);
  });

  for (const line of [['--test'], ['run'], ['--tests', 'x']]) {
    test(`"${line.join(' ')}" is refused with the usage`, async () => {
      const { code, err } = await launch(process.execPath, [SETUP_SCRIPT, ...line], { PATH: '/usr/bin:/bin' })
        .ended;
      assert.equal(code, 1);
      assert.match(err, /^usage: node scripts\/setup\.mjs/);
    });
  }

  test('the command gets its arguments as they are, and its own Node first in PATH', async () => {
    const { ended } = runScript(
      'console.log(JSON.stringify([process.argv.slice(2), process.env.PATH.split(":")[0]]))',
    );
    const [argv, first] = JSON.parse((await ended).out);
    assert.deepEqual(argv, ['a b', '--flag']);
    assert.match(first, /node_modules\/\.bin$/);
  });

  test('its exit code is passed on', async () => {
    assert.equal((await runScript('process.exit(7)').ended).code, 7);
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    test(`${signal} is passed on, and the command may end as it likes`, async () => {
      const { child, printed, ended } = runScript(`
        process.on('${signal}', () => process.exit(5));
        setInterval(() => {}, 1000);
        console.log('ready');
      `);
      await printed('ready');
      child.kill(signal);
      assert.equal((await ended).code, 5);
    });
  }

  test('a command that a signal ended shows as shells show it', async () => {
    const { code } = await runScript("process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000)")
      .ended;
    assert.equal(code, 137);
  });
});
