import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import {
  sweepTemporaryRepositories,
  withTemporaryRepository,
} from '../../../src/git/temporary-repository.ts';
import { createGit } from '../../../src/git.ts';
import { createSecrets } from '../../../src/secrets.ts';

const { signal } = new AbortController();

async function setUp(t: { after(body: () => Promise<void>): void }) {
  const folder = await mkdtemp(path.join(tmpdir(), 'tadpole-temporary-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return { folder, git: createGit({ secrets: createSecrets(), folders: [folder] }) };
}

describe('src/git/temporary-repository.ts', () => {
  it('is gone after its use, and after a failure in it', async (t) => {
    const deps = await setUp(t);
    await withTemporaryRepository(deps, { signal }, async (repository) =>
      assert.ok(existsSync(path.join(repository, 'HEAD'))),
    );
    const failing = withTemporaryRepository(deps, { signal }, async () => {
      throw new Error('failed');
    });
    await assert.rejects(failing, /failed/);
    assert.deepEqual(await readdir(deps.folder), []);
  });

  it('the sweep removes what dead processes left and what is very old, and nothing that is in use', async (t) => {
    const deps = await setUp(t);
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    const host = Buffer.from(hostname()).toString('hex').slice(0, 24);
    const old = new Date(Date.now() - 2 * 24 * 3600_000);
    const names = [`repo-${host}-${dead}-a`, 'repo-ffff-1-b', 'repo-ffff-1-c', 'other'];
    for (const name of names) await mkdir(path.join(deps.folder, name));
    await utimes(path.join(deps.folder, 'repo-ffff-1-c'), old, old);
    await withTemporaryRepository(deps, { signal }, async (repository) => {
      const removed = await sweepTemporaryRepositories(deps.folder);
      assert.deepEqual([...removed].sort(), [names[0], 'repo-ffff-1-c'].sort());
      assert.ok(existsSync(repository));
    });
    assert.deepEqual((await readdir(deps.folder)).sort(), ['other', 'repo-ffff-1-b']);
  });
});
