import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { prepare } from '../../src/run/prepare.ts';
import { publish } from '../../src/run/publish.ts';
import type { Run } from '../../src/store/types.ts';
import { basic, createWorld, TOKEN, type World, type WorldOptions } from '../fakes/git-world.ts';

const TEXTS = { title: 'A title', body: 'A body' };

/** Prepares, edits, collects and publishes; the whole way that git goes. */
async function wholeWay(world: World, edit = 'echo two > a.txt') {
  const prepared = await world.prepared({ 'a.txt': 'one\n' });
  const sandbox = await world.filled(prepared);
  await sandbox.sh(edit);
  const change = await world.collect(sandbox, prepared);
  const run = { ...world.run(prepared.base), prepared, worked: { change } } as unknown as Run;
  const held = { run, fence: async () => {}, recordEffect: async () => {} };
  return { prepared, sandbox, change, publication: await publish(world.deps, { held, texts: TEXTS }, world) };
}

/** A world whose git is a shell script that writes folder, arguments and environment of each call to a log. */
async function loggedWorld(options: WorldOptions = {}) {
  const shim = await mkdtempShim();
  const world = await createWorld({
    ...options,
    git: { path: `${shim.bin}:${process.env.PATH}`, ...options.git },
  });
  return { world, calls: shim.calls };
}

async function mkdtempShim() {
  const { mkdtemp } = await import('node:fs/promises');
  const { tmpdir } = await import('node:os');
  const bin = await mkdtemp(path.join(tmpdir(), 'tadpole-shim-'));
  const log = path.join(bin, 'log');
  const script = [
    '#!/bin/bash',
    'set -C; until : 2>/dev/null >"$0.lock"; do :; done; set +C',
    `{ printf '%s\\0' "$PWD" "$(env | tr '\\n' '\\001')" "$#" "$@"; } >> ${log}`,
    'rm "$0.lock"',
    `PATH=\${PATH#${bin}:}`,
    'exec git "$@"',
  ];
  await writeFile(path.join(bin, 'git'), `${script.join('\n')}\n`);
  await chmod(path.join(bin, 'git'), 0o755);
  const calls = async () => {
    const fields = (await readFile(log, 'utf8')).split('\0');
    const found: { cwd: string; env: string; argv: string[] }[] = [];
    for (let at = 0; at + 2 < fields.length; ) {
      const count = Number(fields[at + 2]);
      found.push({ cwd: fields[at]!, env: fields[at + 1]!, argv: fields.slice(at + 3, at + 3 + count) });
      at += 3 + count;
    }
    return found;
  };
  return { bin, calls };
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
    const { world, calls } = await loggedWorld();
    t.after(() => world.close());
    const { publication } = await wholeWay(world);
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
      const names = env.split('\u0001').map((line) => line.split('=')[0]!);
      const foreign = names.filter((name) => !/^(GIT_\w+|PATH|HOME|LC_ALL|PWD|SHLVL|_|)$/.test(name));
      assert.deepEqual(foreign, []);
      assert.match(env, /(^|\u0001)HOME=\/nonexistent\u0001/);
    }
  });

  it('refuses to run elsewhere, also by a link', async (t) => {
    const world = await createWorld();
    t.after(() => world.close());
    const { symlink } = await import('node:fs/promises');
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
    const { world, calls } = await loggedWorld();
    t.after(() => world.close());
    const { sandbox, prepared } = await wholeWay(world);
    const seen = await calls();
    for (const { argv, env } of seen) {
      assert.ok(!leaks(argv.join('\n')));
      const talks = argv.some((arg) => ['fetch', 'push', 'ls-remote'].includes(arg));
      assert.equal(leaks(env), talks, argv.join(' '));
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

describe('src/run/prepare.ts: hostile names (T13)', () => {
  it('a base branch of any name reaches no shell and no option parser', async (t) => {
    const { SHELL_NAMES } = await import('../fixtures/hostile-names.ts');
    const { world, calls } = await loggedWorld();
    t.after(() => world.close());
    const commit = await world.upstream.commit({ 'a.txt': 'one\n' });
    for (const branch of [
      ...SHELL_NAMES,
      '--upload-pack=touch SENTINEL',
      '-u',
      '../../x',
      'refs/heads/x:y',
    ]) {
      const prepared = await prepare(world.deps, world.run({ branch, commit }), world);
      assert.equal(prepared.base.branch, branch);
    }
    const argvs = (await calls()).map(({ argv }) => argv.join('\n'));
    assert.ok(argvs.every((argv) => !argv.includes('SENTINEL')));
    for (const { argv } of await calls())
      for (const word of ['ls-tree', 'rev-list', 'fetch', 'rev-parse'])
        if (argv.includes(word)) assert.ok(argv.includes('--end-of-options'), argv.join(' '));
  });

  it('file names of any kind go through the whole way as single names', async (t) => {
    const { SHELL_NAMES } = await import('../fixtures/hostile-names.ts');
    const { world, calls } = await loggedWorld();
    t.after(() => world.close());
    const prepared = await world.prepared(
      Object.fromEntries(SHELL_NAMES.map((name) => [`d/${name}`, 'one\n'])),
    );
    const sandbox = await world.filled(prepared);
    await sandbox.sh('for f in d/*; do echo two > "$f"; done');
    const change = await world.collect(sandbox, prepared);
    assert.equal(change.kind, 'changed');
    assert.deepEqual(
      change.files.map(({ path: name }) => name).sort(),
      SHELL_NAMES.map((name) => `d/${name}`).sort(),
    );
    const run = { ...world.run(prepared.base), prepared, worked: { change } } as unknown as Run;
    run.trigger.sender satisfies object;
    const sender = { id: 8, login: 'eve\n<x>$(touch SENTINEL)', kind: 'user' };
    const held = {
      run: { ...run, trigger: { ...run.trigger, sender } } as Run,
      fence: async () => {},
      recordEffect: async () => {},
    };
    const title = '$(touch SENTINEL)\n\nCo-authored-by: root <root@x>\u202e';
    const publication = await publish(world.deps, { held, texts: { title, body: '' } }, world);
    assert.equal(publication.kind, 'published');
    const message = await world.upstream.git(
      ['log', '-1', '--format=%B', publication.published.commit],
      world.upstream.bare,
    );
    assert.deepEqual(message.match(/^Co-authored-by:.*$/gm), [
      'Co-authored-by: evextouchSENTINEL <8+evextouchSENTINEL@users.noreply.git.corp.test>',
    ]);
    for (const { argv } of await calls()) assert.ok(argv.every((arg) => !arg.includes('SENTINEL')));
    const files = (await everyFile(world.folder)).map(([place]) => place);
    assert.ok(!files.some((place) => place.endsWith('SENTINEL')));
    await assert.rejects(promisify(execFile)('test', ['-e', 'SENTINEL']));
  });
});
