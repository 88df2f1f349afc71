import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { createGitShim } from '../fakes/git-shim.ts';
import { basic, createWorld, TOKEN, type World } from '../fakes/git-world.ts';
import { makePublishable } from '../fakes/publishable.ts';

/** A world whose git logs each of its calls. */
async function loggedWorld(t: { after(body: () => Promise<void>): void }) {
  const shim = await createGitShim();
  const world = await createWorld({ git: { path: `${shim.bin}:${process.env.PATH}` } });
  t.after(async () => {
    await world.close();
    await shim.remove();
  });
  return { world, calls: shim.calls };
}

async function everyFile(folder: string): Promise<[string, Buffer][]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const places = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  return Promise.all(places.map(async (place) => [place, await readFile(place)] as [string, Buffer]));
}

const FORMS = [
  TOKEN,
  basic(TOKEN),
  Buffer.from(`x-access-token:${TOKEN}`).toString('base64'),
  encodeURIComponent(TOKEN),
];
const leaks = (text: string) => FORMS.some((form) => text.includes(form));

describe('src/git.ts: where git runs and what it is told (T02, T03)', () => {
  it('runs only in folders of ours, hardened, with an environment built from nothing', async (t) => {
    const { world, calls } = await loggedWorld(t);
    const publication = await (await makePublishable(world)).publish();
    assert.equal(publication.kind, 'published');
    const seen = await calls();
    assert.ok(seen.length > 20);
    for (const { cwd, argv, env } of seen) {
      assert.ok(cwd.startsWith(`${world.folder}/`), cwd);
      for (const setting of [
        'core.hooksPath=/dev/null',
        'core.fsmonitor=false',
        'protocol.allow=never',
        'transfer.fsckObjects=true',
        'http.followRedirects=false',
        'transfer.bundleURI=false',
        'safe.bareRepository=explicit',
      ])
        assert.equal(argv[argv.indexOf(setting) - 1], '-c', `${setting} of ${argv.join(' ')}`);
      const names = env.map((line) => line.split('=')[0] ?? '');
      const foreign = names.filter((name) => !/^(GIT_\w+|PATH|HOME|LC_ALL|PWD|SHLVL|_|)$/.test(name));
      assert.deepEqual(foreign, []);
      assert.ok(env.includes('HOME=/nonexistent'));
    }
  });

  it('refuses to run elsewhere, also by a link', async (t) => {
    const world = await createWorld();
    t.after(() => world.close());
    await symlink(world.upstream.bare, path.join(world.folder, 'link'));
    for (const cwd of [
      world.upstream.bare,
      path.join(world.folder, 'link'),
      path.join(world.folder, '..'),
      `${world.folder}/../`,
    ])
      await assert.rejects(world.git.run({ cwd, args: ['version'] }, world), { code: 'internal' }, cwd);
  });

  it('the token is in the environment of calls to the forge, and in no argument, file, log or address', async (t) => {
    const { world, calls } = await loggedWorld(t);
    const { sandbox, prepared, publish } = await makePublishable(world);
    await publish();
    const seen = await calls();
    for (const { argv, env } of seen) {
      assert.ok(!leaks(argv.join('\n')));
      const talks = argv.some((arg) => ['fetch', 'push', 'ls-remote'].includes(arg));
      assert.equal(leaks(env.join('\n')), talks, argv.join(' '));
    }
    assert.ok(world.server.requests.every(({ path: asked }) => !leaks(asked)));
    assert.ok(
      world.server.requests.every(({ authorization }) => authorization === basic(TOKEN).split(': ')[1]),
    );
    for (const [place, bytes] of await everyFile(world.folder))
      assert.ok(!leaks(bytes.toString('latin1')), place);
    for (const [key, bytes] of world.artifacts.values) assert.ok(!leaks(bytes.toString('latin1')), key);
    assert.ok(!leaks(world.logged.join('\n')));

    // And nothing of it, nor of where the copy came from, is in the sandbox.
    const inside = await sandbox.sh(
      `git config -l --show-origin; git remote -v; /usr/bin/cat /proc/*/environ /proc/*/cmdline 2>/dev/null; /usr/bin/grep -raF -e '${TOKEN}' -e '${world.server.host}' -e 'x-access-token' /workspace /tadpole /home /tmp || true`,
    );
    const withoutItself = inside.replaceAll(
      `-e '${TOKEN}' -e '${world.server.host}' -e 'x-access-token'`,
      '',
    );
    assert.ok(!leaks(withoutItself));
    assert.ok(!withoutItself.includes(world.server.host));
    assert.ok(!prepared.pack.includes(TOKEN));
  });

  it('what git complains of is told without the token', async (t) => {
    const world = await createWorld({ gate: () => ({ status: 403 }) });
    t.after(() => world.close());
    const commit = await world.upstream.commit({ a: '1' });
    const access = { url: `${world.server.url('x.git')}?${TOKEN}`, headers: [basic(TOKEN)] };
    world.secrets.register(TOKEN);
    const args: [string, ...string[]] = ['ls-remote', access.url];
    await assert.rejects(
      world.git.run({ cwd: await bareFolder(world), args, access }, world),
      (thrown: Error & { code: string }) => {
        assert.equal(thrown.code, 'forge_forbidden');
        assert.ok(!leaks(thrown.message), thrown.message);
        return true;
      },
    );
    assert.ok(commit);
  });
});

async function bareFolder(world: World): Promise<string> {
  const cwd = path.join(world.folder, 'bare');
  await mkdir(cwd, { recursive: true });
  await world.git.run({ cwd, args: ['init', '--bare', '--template='] }, world);
  return cwd;
}
