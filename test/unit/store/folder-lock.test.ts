import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { lockFolder } from '../../../src/store/folder-lock.ts';

describe('src/store/folder-lock.ts', () => {
  const folders: string[] = [];
  const newFolder = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tadpole-lock-'));
    folders.push(folder);
    return folder;
  };
  after(async () => {
    for (const folder of folders) await rm(folder, { recursive: true });
  });
  const writeLock = (folder: string, content: unknown) =>
    writeFile(join(folder, 'tadpole.lock'), typeof content === 'string' ? content : JSON.stringify(content));

  it('refuses a second holder, names the first, and lets go', async () => {
    const folder = await newFolder();
    const unlock = await lockFolder(folder);
    await assert.rejects(lockFolder(folder), (err: Error & { code?: string }) => {
      assert.equal(err.code, 'store_unavailable');
      assert.ok(err.message.includes(folder));
      assert.ok(err.message.includes(`process ${process.pid}`));
      return true;
    });
    await unlock();
    await (await lockFolder(folder))();
    assert.deepEqual(await readdir(folder), []);
  });

  it('takes over from a process that is gone', async () => {
    const folder = await newFolder();
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    await writeLock(folder, { pid: child.pid, born: 'boot/1', nonce: 'old' });
    await (await lockFolder(folder))();
  });

  it('takes over when the number of the dead process is in use again, even by ourselves', async () => {
    const folder = await newFolder();
    for (const pid of [process.pid, process.ppid]) {
      await writeLock(folder, { pid, born: 'earlier-boot/1', nonce: 'old' });
      await (await lockFolder(folder))();
    }
  });

  it('takes over from a lock that cannot be read', async () => {
    const folder = await newFolder();
    for (const content of ['', '{"pid":', '{"pid":"x"}']) {
      await writeLock(folder, content);
      await (await lockFolder(folder))();
    }
  });

  it('gives a stale lock to one of many', async () => {
    const folder = await newFolder();
    await writeLock(folder, { pid: process.pid, born: 'earlier-boot/1', nonce: 'old' });
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lockFolder(folder)));
    const won = tries.filter((result) => result.status === 'fulfilled');
    assert.equal(won.length, 1);
    assert.deepEqual(await readdir(folder), ['tadpole.lock']);
  });

  it('does not remove the lock of a successor', async () => {
    const folder = await newFolder();
    const unlock = await lockFolder(folder);
    await writeLock(folder, { pid: 1, born: null, nonce: 'successor' });
    await unlock();
    assert.match(await readFile(join(folder, 'tadpole.lock'), 'utf8'), /successor/);
  });
});
