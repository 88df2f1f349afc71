import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { createMirrors } from '../../src/mirror/mirror.ts';
import { prepare } from '../../src/run/prepare.ts';
import { createWorld, type World } from '../fakes/git-world.ts';

describe('src/mirror/mirror.ts', () => {
  it('keeps all mirrors together under the limit, the least recently used going first, never one in use', async (t) => {
    const world = await createWorld();
    t.after(() => world.close());
    const commit = await world.upstream.commit({ 'a.bin': randomBytes(100_000) });
    const folder = path.join(world.folder, 'small');
    const mirrors = createMirrors({ git: world.git, log: world.log, folder, maxBytes: 250_000 });
    const access = {
      mint: () => world.forge.gitAccess({ id: 1, owner: '', name: '', installation: 1 }, 'read', world),
    };
    const fill = (repositoryId: number, during = async () => {}) =>
      mirrors.use(
        { forge: 'github', repositoryId },
        async (mirror) => {
          await mirror.ensureCommit(commit, access, world);
          await during();
        },
        world,
      );
    await fill(1, async () => {
      await fill(2);
      await fill(3);
      // 1 is the oldest and in use: 2 went.
      assert.deepEqual(await mirrorNames(folder), ['github-1.git', 'github-3.git']);
    });
    await fill(4);
    assert.deepEqual(await mirrorNames(folder), ['github-3.git', 'github-4.git']);
  });

  it('one user at a time, also from another process', async (t) => {
    const world = await createWorld();
    t.after(() => world.close());
    let inside = 0;
    const enter = () =>
      world.mirrors.use(
        { forge: 'github', repositoryId: 5 },
        async () => {
          inside += 1;
          assert.equal(inside, 1);
          await new Promise((resolve) => setImmediate(resolve));
          inside -= 1;
        },
        world,
      );
    await Promise.all([enter(), enter(), enter()]);
    await world.mirrors.use(
      { forge: 'github', repositoryId: 5 },
      async () => {
        const script = `import { tryLock } from ${JSON.stringify(path.resolve('src/mirror/lock.ts'))};
          process.exit((await tryLock(${JSON.stringify(path.join(world.folder, 'mirrors/github-5.git'))}, { staleMs: 15000, log: { warn() {} } })) === null ? 7 : 0);`;
        const ended = await promisify(execFile)(process.execPath, [
          '--input-type=module-typescript',
          '-e',
          script,
        ]).catch((err: { code: number }) => err);
        assert.equal('code' in ended && ended.code, 7);
      },
      world,
    );
  });

  it('waiting for a mirror ends when the run is cancelled', async (t) => {
    const world = await createWorld();
    t.after(() => world.close());
    const key = { forge: 'github', repositoryId: 5 };
    const stop = new AbortController();
    await world.mirrors.use(
      key,
      async () => {
        const waiting = world.mirrors.use(key, async () => 'entered', { signal: stop.signal });
        stop.abort(new Error('cancelled'));
        await assert.rejects(waiting);
      },
      world,
    );
  });

  it('what a killed process left in a mirror is mended', async (t) => {
    const world = await createWorld();
    t.after(() => world.close());
    const place = path.join(world.folder, 'mirrors', 'github-5.git');
    await mkdir(path.join(place, 'objects', 'pack'), { recursive: true });
    await mkdir(path.join(place, 'refs', 'tadpole'), { recursive: true });
    for (const left of ['config.lock', 'shallow.lock', 'refs/tadpole/base.lock', 'objects/pack/tmp_pack_x1'])
      await writeFile(path.join(place, left), 'half');
    const prepared = await world.prepared({ a: '1\n' });
    assert.equal(prepared.files, 1);
    assert.deepEqual(
      (await readdir(path.join(place, 'objects', 'pack'))).filter((name) => name.startsWith('tmp')),
      [],
    );
  });

  it('a mirror whose objects are damaged is made anew', async (t) => {
    const world = await createWorld();
    t.after(() => world.close());
    await world.prepared({ a: '1\n', b: `${randomBytes(5000).toString('hex')}\n` });
    const packs = path.join(world.folder, 'mirrors', 'github-5.git', 'objects', 'pack');
    for (const name of await readdir(packs))
      if (name.endsWith('.pack')) await writeFile(path.join(packs, name), 'rubbish');
    const prepared = await world.prepared({ a: '2\n' });
    assert.equal(prepared.files, 2);
    const sandbox = await world.filled(prepared);
    assert.equal(await sandbox.sh('cat a'), '2\n');
  });

  it('a worker killed in the middle of a fetch leaves a mirror that the next one can use', async (t) => {
    const world = await createWorld({ mirrors: { lockStaleMs: 2000 } });
    t.after(() => world.close());
    const commit = await world.upstream.commit({ 'big.bin': randomBytes(3_000_000) });
    const child = spawn(
      process.execPath,
      ['--input-type=module-typescript', '-e', killedWorker(world, commit)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    const prepared = await prepare(world.deps, world.run({ commit }), world);
    assert.equal(prepared.files, 1);
  });
});

/** A process that takes the mirror, begins to fetch, and never ends by itself. */
function killedWorker(world: World, commit: string): string {
  const from = (file: string) => JSON.stringify(path.resolve(file));
  return `
    import { createGit } from ${from('src/git.ts')};
    import { createMirrors } from ${from('src/mirror/mirror.ts')};
    const log = { warn() {}, info() {} };
    const git = createGit({ secrets: { redact: (text) => text }, folders: [${JSON.stringify(world.folder)}], plainHttpHosts: ['127.0.0.1'] });
    const mirrors = createMirrors({ git, log, lockStaleMs: 2000, folder: ${JSON.stringify(path.join(world.folder, 'mirrors'))} });
    const { signal } = new AbortController();
    await mirrors.use({ forge: 'github', repositoryId: 5 }, async (mirror) => {
      const mint = async () => ({ url: ${JSON.stringify(world.server.url('acme/sample.git'))}, headers: [] });
      const fetching = mirror.ensureCommit('${commit}', { mint }, { signal });
      process.stdout.write('begun');
      await fetching;
      await new Promise(() => setInterval(() => {}, 1000));
    }, { signal });`;
}

async function mirrorNames(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.git')).sort();
}
