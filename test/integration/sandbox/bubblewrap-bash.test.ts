import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Sandbox, WORKSPACE } from '../../../src/sandbox/types.ts';
import { type BubblewrapWorld, never, openBubblewrap, run, sh, text } from '../../fakes/sandboxes.ts';

/** As on Fedora and Arch. */
const bashAsSh = (args: string[]) => args.toSpliced(args.indexOf('--') + 1, 1, '/bin/bash', '--posix');

describe('src/sandbox/bubblewrap: where /bin/sh is bash', () => {
  let world: BubblewrapWorld;
  let sandbox: Sandbox;
  before(async () => {
    world = await openBubblewrap({}, { alterArguments: bashAsSh });
    sandbox = await world.create();
  });
  after(() => world.close());

  it('the shell of a call is bash', async () => {
    assert.match(
      text((await sh(sandbox, "tr '\\0' ' ' < /proc/1/cmdline")).stdout),
      /^\/bin\/bash --posix -s/,
    );
  });

  it('tells being killed from an exit code', async () => {
    const killed = await sh(sandbox, 'kill -9 $$');
    assert.deepEqual([killed.exitCode, killed.signal], [null, 9]);
    const fed = await sh(sandbox, 'kill -TERM $$', { stdin: Buffer.from('x') });
    assert.deepEqual([fed.exitCode, fed.signal], [null, 15]);
    assert.equal((await sh(sandbox, 'exit 137')).exitCode, 137);
    assert.equal((await run(sandbox, ['no-such-program'])).exitCode, 127);
  });

  it('passes every word as it is, and no variable of its own', async () => {
    const words = Array.from({ length: 255 }, (_, code) => `a${String.fromCharCode(code + 1)}'"\\`);
    const result = await run(sandbox, ['/usr/bin/printf', '%s\\0', ...words]);
    assert.deepEqual(text(result.stdout).split('\0').slice(0, -1), words);
    const names = text((await run(sandbox, ['/usr/bin/env'])).stdout).match(/^\w+(?==)/gm);
    assert.deepEqual(names?.sort(), ['HOME', 'LANG', 'PATH', 'PWD', 'TMPDIR']);
  });

  it('puts, gets and probes', async () => {
    const signal = never();
    await sandbox.put(`${WORKSPACE}/file`, Buffer.from('content'), { signal });
    const read = await sandbox.get(`${WORKSPACE}/file`, { signal, maxBytes: 10 });
    assert.equal(Buffer.from(read ?? []).toString(), 'content');
    const { findings } = await sandbox.probe({ signal });
    assert.deepEqual(
      findings.filter(({ closed }) => !closed),
      [],
    );
  });
});
