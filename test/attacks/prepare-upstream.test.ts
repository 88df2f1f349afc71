import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import { prepare } from '../../src/run/prepare.ts';
import { createWorld, type World } from '../fakes/git-world.ts';

/** Writes any object into the upstream repository, also ones that git would not write, and returns its id. */
async function plantObject({ upstream }: World, type: string, content: Uint8Array): Promise<string> {
  const whole = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const id = createHash('sha1').update(whole).digest('hex');
  const folder = path.join(upstream.bare, 'objects', id.slice(0, 2));
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, id.slice(2)), deflateSync(whole));
  return id;
}

async function plantTree(world: World, entries: readonly [string, string, string][]): Promise<string> {
  const content = entries.map(([mode, name, id]) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
  );
  return plantObject(world, 'tree', Buffer.concat(content));
}

async function plantCommit(world: World, tree: string): Promise<string> {
  const who = 'a <a@b.c> 1700000000 +0000';
  const commit = await plantObject(
    world,
    'commit',
    Buffer.from(`tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nx\n`),
  );
  await writeFile(path.join(world.upstream.bare, 'refs', 'heads', 'grove'), `${commit}\n`);
  return commit;
}

const sentinelOf = ({ folder }: World) => path.join(folder, 'SENTINEL');

describe('src/run/prepare.ts: hostile upstreams (T32)', () => {
  const trees: [string, (world: World, blob: string) => Promise<string>][] = [
    [
      'a .git folder',
      async (world, blob) =>
        plantTree(world, [['40000', '.git', await plantTree(world, [['100644', 'config', blob]])]]),
    ],
    [
      'a .GIT folder',
      async (world, blob) =>
        plantTree(world, [['40000', '.GIT', await plantTree(world, [['100644', 'config', blob]])]]),
    ],
    [
      'a .git with a joiner',
      async (world, blob) =>
        plantTree(world, [['40000', '.g\u200cit', await plantTree(world, [['100644', 'config', blob]])]]),
    ],
    [
      'git~1',
      async (world, blob) =>
        plantTree(world, [['40000', 'git~1', await plantTree(world, [['100644', 'config', blob]])]]),
    ],
    [
      'a folder named ..',
      async (world, blob) =>
        plantTree(world, [['40000', '..', await plantTree(world, [['100644', 'x', blob]])]]),
    ],
    [
      'a folder named .',
      async (world, blob) =>
        plantTree(world, [['40000', '.', await plantTree(world, [['100644', 'x', blob]])]]),
    ],
    ['a name with a slash', (world, blob) => plantTree(world, [['100644', 'a/../../x', blob]])],
    ['an empty name', (world, blob) => plantTree(world, [['100644', '', blob]])],
    [
      'the same name twice',
      (world, blob) =>
        plantTree(world, [
          ['100644', 'a', blob],
          ['100644', 'a', blob],
        ]),
    ],
    [
      'names out of order',
      (world, blob) =>
        plantTree(world, [
          ['100644', 'b', blob],
          ['100644', 'a', blob],
        ]),
    ],
    ['a .gitmodules that is a link', (world, blob) => plantTree(world, [['120000', '.gitmodules', blob]])],
  ];
  for (const [name, plant] of trees) {
    it(`a tree with ${name} is refused`, async (t) => {
      const world = await createWorld();
      t.after(() => world.close());
      const blob = await plantObject(world, 'blob', Buffer.from('x\n'));
      const commit = await plantCommit(world, await plant(world, blob));
      await assert.rejects(prepare(world.deps, world.run({ commit }), world), {
        code: 'repository_invalid',
        retryable: false,
      });
      assert.equal(world.artifacts.values.size, 0);
    });
  }

  it('a .gitmodules that is an option or a command is refused', async (t) => {
    const world = await createWorld();
    t.after(() => world.close());
    for (const line of [
      'url = -u./payload',
      'path = -x',
      'url = ext::sh -c "touch SENTINEL"',
      'update = !touch SENTINEL',
    ]) {
      const text = `[submodule "x"]\n\tpath = x\n\turl = https://h.test/x\n\t${line}\n`;
      const blob = await plantObject(world, 'blob', Buffer.from(text));
      const commit = await plantCommit(world, await plantTree(world, [['100644', '.gitmodules', blob]]));
      // An odd protocol is harmless where no submodule is ever fetched; the others fail git's checks.
      if (line.includes('ext::')) await prepare(world.deps, world.run({ commit }), world);
      else
        await assert.rejects(
          prepare(world.deps, world.run({ commit }), world),
          { code: 'repository_invalid' },
          line,
        );
    }
  });

  it('a tree of trees of trees ends at the file cap', async (t) => {
    const world = await createWorld();
    t.after(() => world.close());
    let id = await plantObject(world, 'blob', Buffer.from('x'));
    for (let level = 0; level < 12; level += 1) {
      const mode = level === 0 ? '100644' : '40000';
      id = await plantTree(
        world,
        Array.from({ length: 10 }, (_, n) => [mode, `d${n}`, id] as [string, string, string]),
      );
    }
    const commit = await plantCommit(world, id);
    const deps = { ...world.deps, treeCaps: { files: 5000, bytes: 1e9 } };
    await assert.rejects(prepare(deps, world.run({ commit }), world), {
      code: 'repository_too_large',
      retryable: false,
    });
    assert.equal(world.artifacts.values.size, 0);
  });

  it('a repository over the size limit is refused while it arrives', async (t) => {
    const world = await createWorld({ mirrors: { maxRepositoryBytes: 1_000_000 } });
    t.after(() => world.close());
    const commit = await world.upstream.commit({ 'big.bin': randomBytes(8_000_000) });
    await assert.rejects(prepare(world.deps, world.run({ commit }), world), { code: 'repository_too_large' });
  });

  it('a forge that redirects elsewhere is not followed, and the token does not travel', async (t) => {
    const other = await createWorld();
    t.after(() => other.close());
    await other.upstream.commit({ a: '1' });
    const world = await createWorld({
      gate: ({ url }) => ({ status: 302, location: `http://${other.server.host}${url}` }),
    });
    t.after(() => world.close());
    await assert.rejects(world.prepared({ a: '1' }), { code: 'git_failed' });
    assert.deepEqual(other.server.requests, []);
  });

  it('links, executables and submodules of the base stay what they are, and nothing planted runs', async (t) => {
    const world = await createWorld();
    t.after(() => world.close());
    const harm = `touch ${sentinelOf(world)}`;
    await world.upstream.commit({
      evil: { link: '/etc/passwd' },
      '.gitattributes': '* filter=lfs diff=x\n',
      '.lfsconfig': `[lfs]\n\turl = ext::${harm}\n`,
      'a.txt': 'version https://git-lfs.github.com/spec/v1\n',
    });
    await world.upstream.git(['update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},sub`]);
    await world.upstream.git(['commit', '-q', '-m', 'a submodule']);
    await world.upstream.git(['push', '-q', 'origin', 'HEAD']);
    const commit = await world.upstream.git(['rev-parse', 'HEAD']);
    const prepared = await prepare(world.deps, world.run({ commit }), world);
    const sandbox = await world.filled(prepared);
    assert.equal((await world.collect(sandbox, prepared)).kind, 'none');
    await sandbox.sh('echo edited > a.txt');
    const change = await world.collect(sandbox, prepared);
    assert.deepEqual(change.kind === 'changed' && change.files.map((file) => file.path), ['a.txt']);
    assert.ok(!existsSync(sentinelOf(world)));
  });

  it('a base commit that the forge does not have is a fault that is not tried again', async (t) => {
    const world = await createWorld();
    t.after(() => world.close());
    await world.upstream.commit({ a: '1' });
    await assert.rejects(prepare(world.deps, world.run({ commit: '1'.repeat(40) }), world), {
      code: 'git_failed',
      retryable: false,
    });
    await assert.rejects(prepare(world.deps, world.run({ commit: '--upload-pack=x' }), world), {
      code: 'internal',
    });
  });
});
