import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { collectChange } from '../../src/run/change.ts';
import { fillWorkspace } from '../../src/run/workspace.ts';
import { createWorld, RUN_ID } from '../fakes/git-world.ts';
import { openBubblewrap, run } from '../fakes/sandboxes.ts';

describe('src/run/change.ts: in the real sandbox', () => {
  it('a tree goes in, is edited with git at hand, and comes out as the same bytes in a fresh sandbox', async (t) => {
    const world = await createWorld();
    t.after(() => world.close());
    const cells = await openBubblewrap();
    t.after(() => cells.close());
    const prepared = await world.prepared({
      'calc.py': 'a = 1\r\n',
      'data.bin': randomBytes(3_000_000),
      'dir/run.sh': { exec: '#!/bin/sh\n' },
      link: { link: 'calc.py' },
    });
    const openPack = () => world.artifacts.open(prepared.pack);
    const sandbox = await cells.create();
    await fillWorkspace(sandbox, { packs: [await openPack()], ...prepared.base }, world);
    const script = `set -e; git status --porcelain; printf 'a = 2\\r\\n' > calc.py; head -c 100000 /dev/urandom > new.bin; git commit -qam x; rm -rf .git
      mkdir -p node_modules/x; echo x > node_modules/x/y; chmod 000 dir`;
    const edited = await run(sandbox, ['bash', '-c', script], { cwd: '/workspace' });
    assert.equal(edited.exitCode, 0, Buffer.from(edited.stderr.head).toString());
    const policy = { paths: { deny: [] }, limits: { filesChanged: 5 } };
    const change = await collectChange(world.deps, { runId: RUN_ID, sandbox, prepared, policy }, world);
    assert.equal(change.kind, 'changed', JSON.stringify(change));
    assert.deepEqual(
      change.files.map(({ path, kind }) => [path, kind]),
      [
        ['calc.py', 'modified'],
        ['new.bin', 'added'],
      ],
    );
    const patched = await cells.create();
    const packs = [await openPack(), await world.artifacts.open(change.pack)];
    await fillWorkspace(patched, { packs, tree: change.tree, commit: null }, world);
    const sum = async (which: typeof sandbox) => {
      const { stdout } = await run(which, ['sha256sum', 'calc.py', 'new.bin', 'data.bin'], {
        cwd: '/workspace',
      });
      return Buffer.from(stdout.head).toString();
    };
    assert.equal(await sum(patched), await sum(sandbox));
  });
});
