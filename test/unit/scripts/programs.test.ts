import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createMachine, SETUP } from './machine.ts';

type Machine = ReturnType<typeof createMachine>;

function ensure({ run }: Machine, mayInstall: boolean, purposes = ['run']) {
  return run(`
    const { ensurePrograms } = await import('${SETUP}programs.mjs');
    try { ensurePrograms(${JSON.stringify(purposes)}, ${mayInstall}); }
    catch (error) { console.error(error.message); process.exitCode = 1; }
  `);
}

const COMMANDS = [
  'Missing on this machine: git 2.34 or newer, bubblewrap. Install with one of:',
  '  Debian, Ubuntu   sudo apt-get install -y git bubblewrap',
  '  Fedora           sudo dnf install -y git bubblewrap',
  '  Arch             sudo pacman -S --needed --noconfirm git bubblewrap',
];

describe('scripts/setup/programs.mjs', () => {
  test('with everything there it says nothing', async () => {
    const machine = createMachine();
    machine.program('bin/git', 'echo git version 2.34.1');
    machine.program('bin/bwrap', 'echo bubblewrap 0.8.0');
    assert.deepEqual(await ensure(machine, false), { code: 0, signal: null, out: '', err: '' });
  });

  test('what is missing is told with one command to type for each family of distributions', async () => {
    const { code, err } = await ensure(createMachine(), false);
    assert.equal(code, 1);
    assert.deepEqual(err.trimEnd().split('\n'), COMMANDS);
  });

  test('a git that is too old counts as missing', async () => {
    const machine = createMachine();
    machine.program('bin/git', 'echo git version 2.33.9');
    machine.program('bin/bwrap', 'echo bubblewrap 0.8.0');
    assert.match((await ensure(machine, false)).err, /^Missing on this machine: git 2\.34 or newer\. /);
  });

  test('tests want more than a run does', async () => {
    const machine = createMachine();
    const { err } = await ensure(machine, false, ['run', 'tests']);
    assert.match(err, /redis-server/);
    const { err: less } = await ensure(machine, false, ['run']);
    assert.doesNotMatch(less, /redis|postgres|pytest/);
  });

  test('where it may, it installs what is missing without a question, and looks again', async () => {
    const machine = createMachine();
    machine.program('bin/git', 'echo git version 2.34.1');
    machine.program(
      'bin/apt-get',
      `echo "$DEBIAN_FRONTEND: $@" >> ${machine.folder}/calls
       printf '#!/bin/sh\\necho ok' > ${machine.folder}/bin/bwrap; chmod +x ${machine.folder}/bin/bwrap`,
    );
    const { code, err } = await ensure(machine, true);
    assert.equal(code, 0, err);
    assert.equal(
      readFileSync(join(machine.folder, 'calls'), 'utf8'),
      'noninteractive: update -q\nnoninteractive: install -y -q --no-install-recommends bubblewrap\n',
    );
  });

  test('where it may not, it installs nothing', async () => {
    const machine = createMachine();
    machine.program('bin/apt-get', `touch ${machine.folder}/called`);
    assert.equal((await ensure(machine, false)).code, 1);
    assert.ok(!existsSync(join(machine.folder, 'called')));
  });

  test('an installation that fails is shown whole, with what to type', async () => {
    const machine = createMachine();
    machine.program('bin/apt-get', 'echo "E: no network" >&2; exit 100');
    const { code, err } = await ensure(machine, true);
    assert.equal(code, 1);
    assert.match(err, /E: no network/);
    assert.ok(err.includes(COMMANDS[1] ?? ''));
  });
});
