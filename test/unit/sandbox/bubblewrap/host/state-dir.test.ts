import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openStateDir } from '../../../../../src/sandbox/bubblewrap/host/state-dir.ts';

const isRoot = process.getuid?.() === 0;

describe('src/sandbox/bubblewrap/host/state-dir.ts', () => {
  let closed = '';
  let open = '';
  before(async () => {
    closed = await mkdtemp(join(tmpdir(), 'tadpole-closed-'));
    open = await mkdtemp(join(tmpdir(), 'tadpole-open-'));
    await chmod(open, 0o755);
  });
  after(async () => {
    await rm(closed, { recursive: true });
    await rm(open, { recursive: true });
  });

  it('makes the folder, where others may walk through but not look in', { skip: !isRoot }, async () => {
    const folder = await openStateDir(join(open, 'a', 'state'), 0);
    assert.equal(folder, join(open, 'a', 'state'));
    assert.equal((await stat(folder)).mode & 0o777, 0o711);
  });

  it('is the same place by any name', async () => {
    await symlink(open, join(open, 'link'));
    assert.equal(await openStateDir(join(open, 'link', 'state'), 1000), join(open, 'state'));
  });

  it('moves to /var/tmp for root under a closed folder, to the same place each time', {
    skip: !isRoot,
  }, async () => {
    const folder = await openStateDir(join(closed, 'state'), 0);
    try {
      assert.match(folder, /^\/var\/tmp\/tadpole-sandboxes-[0-9a-f]{16}$/);
      assert.equal(await openStateDir(join(closed, 'state'), 0), folder);
      await chmod(folder, 0o777);
      await assert.rejects(openStateDir(join(closed, 'state'), 0), /only this user/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
