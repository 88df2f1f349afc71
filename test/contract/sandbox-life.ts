import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Fault } from '../../src/errors.ts';
import { SCRATCH, WORKSPACE } from '../../src/sandbox/types.ts';
import { LIMITS, never, sh, specFor, text } from '../fakes/sandboxes.ts';
import type { Subject } from './sandbox-suite.ts';

const isLost = (err: unknown) => err instanceof Fault && err.code === 'sandbox_lost';

/** From create to destroy, deadline and reaper. */
export function lifeTests({ world, sandbox }: Subject): void {
  const signal = never();

  it('says what it is and what it does not limit', async () => {
    await world().provider.check({ signal });
    const { kind, version, notLimited } = world().provider.describe();
    assert.match(kind, /^[a-z_]+$/);
    assert.match(version, /\d/);
    assert.ok(notLimited.every((item) => item.length > 0));
  });

  it('starts with an empty work tree, a writable home, scratch and temporary folder', async () => {
    const fresh = await world().provider.create(specFor('contract'), { signal });
    try {
      const result = await sh(
        fresh,
        `ls -A ${WORKSPACE} ${SCRATCH} | grep -v : ; pwd; for d in "$HOME" "$TMPDIR" ${WORKSPACE} ${SCRATCH}; do : > "$d/x" || exit 1; done`,
      );
      assert.equal(text(result.stdout).trim(), WORKSPACE);
      assert.equal(result.exitCode, 0);
    } finally {
      await fresh.destroy();
    }
  });

  it('finds its own isolation closed', async () => {
    const { isolated, findings } = await sandbox().probe({ signal });
    assert.deepEqual(
      findings.filter(({ closed }) => !closed),
      [],
    );
    assert.ok(isolated && findings.length > 5);
  });

  it('ends by itself at its deadline, and says that it is lost', async () => {
    const short = await world().provider.create(specFor('contract', { lifetimeMs: 1500 }), { signal });
    try {
      await assert.rejects(sh(short, 'sleep 60'), isLost);
      await assert.rejects(sh(short, 'true'), isLost);
    } finally {
      await short.destroy();
    }
  });

  it('leaves nothing after destroy, which may come twice and during a call', async () => {
    const before = await world().leftovers();
    const gone = await world().provider.create(specFor('gone'), { signal });
    assert.ok((await world().leftovers()).length > before.length);
    const call = assert.rejects(sh(gone, 'mkdir -p a/b; chmod 000 a; sleep 60'), isLost);
    await Promise.all([gone.destroy(), gone.destroy(), call]);
    await assert.rejects(sh(gone, 'true'), isLost);
    await gone.destroy();
    assert.deepEqual(await world().leftovers(), before);
  });

  it('reaps the sandboxes of runs that are not live, and no others', async () => {
    const dead = await world().provider.create(specFor('dead-run'), { signal });
    const live = await world().provider.create(specFor('live-run'), { signal });
    try {
      const names = await world().provider.reap(async (runId) => runId !== 'dead-run');
      assert.deepEqual(names, [dead.name]);
      assert.equal((await sh(live, 'exit 6')).exitCode, 6);
      await assert.rejects(sh(dead, 'true'), Fault);
    } finally {
      await dead.destroy();
      await live.destroy();
    }
  });

  it('refuses to create for an aborted caller', async () => {
    const create = world().provider.create(
      { runId: 'aborted', purpose: 'base', image: null, limits: LIMITS },
      { signal: AbortSignal.abort(new Error('stopped')) },
    );
    await assert.rejects(create, /stopped/);
  });
}
