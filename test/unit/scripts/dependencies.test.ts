import assert from 'node:assert/strict';
import { existsSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createMachine, SETUP } from './machine.ts';

const LOCK = (version: string) =>
  JSON.stringify({
    packages: {
      '': { name: 'x' },
      'node_modules/a': { version, integrity: `sha512-${version}` },
      'node_modules/only-mac': { version: '1.0.0', integrity: 'sha512-m', optional: true },
    },
  });
const INSTALLED = (version: string) =>
  JSON.stringify({ packages: { 'node_modules/a': { version, integrity: `sha512-${version}` } } });

/** A clone with a lock file, and an npm that notes its calls and does as it is told. */
function createClone(npm: string) {
  const machine = createMachine();
  machine.write('clone/package-lock.json', LOCK('1.0.0'));
  machine.program('bin/npm', `echo "$@" >> ${machine.folder}/calls\n${npm}`);
  const clone = join(machine.folder, 'clone');
  const calls = () =>
    existsSync(join(machine.folder, 'calls')) ? readFileSync(join(machine.folder, 'calls'), 'utf8') : '';
  const ensure = () =>
    machine.run(`
      const { ensureDependencies } = await import('${SETUP}dependencies.mjs');
      await ensureDependencies(${JSON.stringify(clone)}).catch((error) => { console.error(error.message); process.exitCode = 1; });
    `);
  return { ...machine, clone, calls, ensure };
}

const INSTALL = `
  mkdir -p node_modules/.bin
  printf '#!/bin/sh\\necho v24.0.0\\n' > node_modules/.bin/node
  chmod +x node_modules/.bin/node
  printf '%s' '${INSTALLED('1.0.0')}' > node_modules/.package-lock.json
  echo 'added 1 package'`;

describe('scripts/setup/dependencies.mjs', () => {
  test('a fresh clone gets npm ci, with one line about it and none of its output', async () => {
    const { ensure, calls } = createClone(INSTALL);
    assert.deepEqual(await ensure(), {
      code: 0,
      signal: null,
      out: '',
      err: 'set-up: installing packages (npm ci); this happens once\n',
    });
    assert.match(calls(), /^ci /);
  });

  test('a clone that is installed is left alone, in silence', async () => {
    const { ensure, calls } = createClone(INSTALL);
    await ensure();
    assert.deepEqual(await ensure(), { code: 0, signal: null, out: '', err: '' });
    assert.equal(calls().trim().split('\n').length, 1);
  });

  test('a lock file that is newer but says the same needs no installation', async () => {
    const { ensure, calls, clone } = createClone(INSTALL);
    await ensure();
    const later = new Date(Date.now() + 60_000);
    utimesSync(join(clone, 'package-lock.json'), later, later);
    assert.equal((await ensure()).err, '');
    assert.equal(calls().trim().split('\n').length, 1);
  });

  test('a lock file that says something else is installed', async () => {
    const { ensure, calls, clone, write } = createClone(INSTALL);
    await ensure();
    write('clone/package-lock.json', LOCK('2.0.0'));
    const later = new Date(Date.now() + 60_000);
    utimesSync(join(clone, 'package-lock.json'), later, later);
    await ensure();
    assert.equal(calls().trim().split('\n').length, 2);
  });

  test('a failing npm ci is shown whole and ends the set-up', async () => {
    const { ensure } = createClone('echo on-stdout; echo on-stderr >&2; exit 3');
    const { code, err } = await ensure();
    assert.equal(code, 1);
    assert.match(err, /on-stdout\non-stderr\n/);
    assert.match(err, /npm ci failed \(exit code 3\)/);
  });

  test('an installation without Node, its install script forbidden, is told as such', async () => {
    const { ensure } = createClone('mkdir node_modules; echo {} > node_modules/.package-lock.json');
    const { code, err } = await ensure();
    assert.equal(code, 1);
    assert.match(err, /Node 24 was not installed: npm did not run the install script/);
    assert.match(err, /npm ci --ignore-scripts=false/);
  });

  test('no npm at all is told as such', async () => {
    const { folder, clone, run } = createClone('');
    const { err } = await run(`
      const { rmSync } = await import('node:fs');
      rmSync('${folder}/bin/npm');
      const { ensureDependencies } = await import('${SETUP}dependencies.mjs');
      await ensureDependencies(${JSON.stringify(clone)}).catch((error) => console.error(error.message));
    `);
    assert.match(err, /npm could not be started/);
  });

  test('of two set-ups at once one installs, and the other waits for it', async () => {
    const { ensure, calls } = createClone(`sleep 0.5; ${INSTALL}`);
    const [first, second] = await Promise.all([ensure(), ensure()]);
    assert.deepEqual([first.code, second.code], [0, 0]);
    assert.equal(calls().trim().split('\n').length, 1);
    assert.match(first.err + second.err, /waiting for another set-up \(process \d+\)/);
  });

  test('the lock of a set-up that died is taken over', async () => {
    const { ensure, write, calls } = createClone(INSTALL);
    // Larger than any process id that the kernel gives.
    write('clone/.tadpole/setup.lock', '99999999');
    assert.equal((await ensure()).code, 0);
    assert.match(calls(), /^ci /);
  });
});
