import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { prepare } from '../../src/run/prepare.ts';
import { createWorld } from '../fakes/git-world.ts';

describe('src/run/prepare.ts: the sandbox sees one commit (T47)', () => {
  it('no other branch, tag, parent or lost object is there, though the mirror knows more', async (t) => {
    const world = await createWorld();
    t.after(() => world.close());
    await world.upstream.commit({ 'secret.txt': 'CANARY-OLD\n' }, 'an old secret');
    await world.upstream.git(['tag', 'v1']);
    await world.upstream.git(['push', '-q', 'origin', 'v1']);
    await world.upstream.git(['checkout', '-q', '-b', 'embargo']);
    await world.upstream.commit({ 'fix.txt': 'CANARY-BRANCH\n' }, 'a fix to come');
    await world.upstream.git(['checkout', '-q', 'grove']);
    await world.upstream.git(['rm', '-q', 'secret.txt']);
    const older = await world.prepared({ 'a.txt': 'one\n' });
    const prepared = await world.prepared({ 'a.txt': 'two\n' });
    // Even a mirror with the whole history gives no more than the commit.
    const access = {
      mint: () => world.forge.gitAccess(world.run(prepared.base).trigger.repository, 'read', world),
    };
    await world.mirrors.use(
      { forge: 'github', repositoryId: 5 },
      (mirror) => mirror.ensureHistory(prepared.base.commit, access, world),
      world,
    );
    const again = await prepare(world.deps, world.run(prepared.base), world);
    const sandbox = await world.filled(again);
    const count = await sandbox.sh('git log --all --oneline | wc -l');
    assert.equal(count.trim(), '1');
    assert.equal(await sandbox.sh('git fsck --lost-found 2>&1'), '');
    assert.equal(
      await sandbox.sh('git remote; git tag; git for-each-ref --format="%(refname)"'),
      'refs/heads/main\n',
    );
    const objects = await sandbox.sh('git cat-file --batch-all-objects --batch-check | wc -l');
    assert.equal(objects.trim(), '3');
    assert.equal(
      await sandbox
        .sh(`git cat-file -t ${older.base.commit} 2>&1 || true`)
        .then((text) => /could not|not a valid|bad/i.test(text)),
      true,
    );
    assert.ok(!(await sandbox.sh('/usr/bin/grep -rac CANARY /workspace || true')).match(/:[1-9]/));
    // The agent's own git still works.
    await sandbox.sh(
      'echo three > a.txt; git diff --quiet && exit 1; git commit -qam three; git log --oneline',
    );
  });
});
