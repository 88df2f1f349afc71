import assert from 'node:assert/strict';
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Fault } from '../../../src/errors.ts';
import { createBubblewrap } from '../../../src/sandbox/bubblewrap/bubblewrap.ts';
import type { BubblewrapOptions } from '../../../src/sandbox/bubblewrap/config.ts';
import { never, openFolder, specFor } from '../../fakes/sandboxes.ts';

describe('src/sandbox/bubblewrap: what a machine must have', () => {
  let folder = '';
  before(async () => {
    folder = await openFolder('tadpole-check-');
  });
  after(() => rm(folder, { recursive: true }));

  const stateDir = () => join(folder, 'state');

  /** A program in bwrap's place. */
  async function fakeBwrap(name: string, script: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
    return path;
  }

  async function refuses(options: Partial<BubblewrapOptions>, detail: RegExp): Promise<void> {
    const provider = createBubblewrap({ stateDir: stateDir(), ...options });
    await assert.rejects(provider.check({ signal: never() }), (err) => {
      assert.ok(err instanceof Fault);
      assert.equal(err.code, 'sandbox_unavailable');
      assert.match(err.message, detail);
      return true;
    });
  }

  it('is content here, and leaves nothing', async () => {
    await createBubblewrap({ stateDir: stateDir() }).check({ signal: never() });
    assert.deepEqual(await readdir(stateDir()), []);
  });

  it('names the package where bubblewrap is missing', async () => {
    await refuses({ bwrapPath: join(folder, 'none') }, /apt-get install bubblewrap.*dnf install.*pacman -S/);
  });

  it('names the version where bubblewrap is too old', async () => {
    await refuses({ bwrapPath: await fakeBwrap('old', 'echo bubblewrap 0.4.1') }, /0\.4\.1; 0\.8 or later/);
  });

  it('gives the reason and the settings where user namespaces are off', async () => {
    const said = 'bwrap: No permissions to create a new namespace';
    const bwrapPath = await fakeBwrap(
      'refused',
      `[ "$1" = --version ] && echo bubblewrap 0.9.0 && exit; echo '${said}' >&2; exit 1`,
    );
    await refuses(
      { bwrapPath },
      /No permissions to create a new namespace.*kernel\.unprivileged_userns_clone.*apparmor_restrict_unprivileged_userns/,
    );
    assert.deepEqual(await readdir(stateDir()), []);
  });

  it('names a read-only path that is not there', async () => {
    await refuses(
      { readOnlyPaths: [{ host: join(folder, 'venv'), inside: '/opt/venv' }] },
      /tadpole-check-.*venv/,
    );
  });

  it('names a read-only path that the sandbox may not read', { skip: process.getuid?.() !== 0 }, async () => {
    const closed = await mkdtemp(join(tmpdir(), 'tadpole-closed-'));
    const host = join(closed, 'venv');
    await (await open(host, 'w')).close();
    await refuses({ readOnlyPaths: [{ host, inside: '/opt/venv' }] }, /readable by everybody/);
    await rm(closed, { recursive: true });
  });

  it('looks again after a refusal', async () => {
    const bwrapPath = join(folder, 'later');
    const provider = createBubblewrap({ stateDir: stateDir(), bwrapPath });
    await assert.rejects(provider.check({ signal: never() }));
    await fakeBwrap('later', 'exec /usr/bin/bwrap "$@"');
    await provider.check({ signal: never() });
    assert.equal(provider.describe().version.startsWith('0.'), true);
  });

  it('a create that fails leaves nothing', async () => {
    const bwrapPath = await fakeBwrap(
      'broken',
      `[ "$1" = --version ] && echo bubblewrap 0.9.0 && exit; exit 1`,
    );
    const provider = createBubblewrap({ stateDir: stateDir(), bwrapPath });
    await assert.rejects(
      provider.create(specFor('broken'), { signal: never() }),
      (err) => err instanceof Fault && err.code === 'sandbox_start_failed',
    );
    assert.deepEqual(await readdir(stateDir()), []);
  });

  it('refuses a run id that is no plain name', async () => {
    const provider = createBubblewrap({ stateDir: stateDir() });
    for (const runId of ['../x', 'a/b', '', 'a.b', 'x'.repeat(65)])
      await assert.rejects(provider.create(specFor(runId), { signal: never() }), Fault);
  });

  it('covers file descriptors that a supervisor left open', async () => {
    const secret = join(folder, 'supervisor-log');
    await writeFile(secret, 'SUPERVISOR');
    const leak = await open(secret, 'r');
    const probe = new URL('../../fakes/sandbox-files.ts', import.meta.url).pathname;
    const gap = Array.from({ length: 60 }, () => 'ignore' as const);
    const stdio: StdioOptions = ['ignore', 'pipe', 'inherit', ...gap, leak.fd];
    const child: ChildProcess = spawn(process.execPath, [probe, stateDir()], { stdio });
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (piece) => (output += piece));
    await once(child, 'close');
    await leak.close();
    assert.deepEqual(JSON.parse(output), { inherited: true, inside: '0 1 2 3', openFiles: true });
  });
});
