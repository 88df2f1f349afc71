import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { withTemporaryRepository } from '../../src/git/temporary-repository.ts';
import { collectChange } from '../../src/run/change.ts';
import type { Change, Prepared } from '../../src/run/types.ts';
import type { ExecCall } from '../../src/sandbox/types.ts';
import { createWorld, RUN_ID, type World } from '../fakes/git-world.ts';
import type { PlainSandbox } from '../fakes/plain-sandbox.ts';

const FAKE_TOOLS = ['git', 'sh', 'bash', 'find', 'xargs', 'cat', 'stat', 'tar', 'env', 'mkdir', 'rm'];
const POLICY = { paths: { deny: [] }, limits: { filesChanged: 50 } };

describe('src/run/change.ts: planted tools have no effect (T21)', () => {
  let world: World;
  let prepared: Prepared;
  before(async () => {
    world = await createWorld();
    prepared = await world.prepared({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  });
  after(() => world.close());

  it('fake programs in PATH, HOME and the work tree, start-up files and a preload never run', async () => {
    const honest = await world.filled(prepared);
    await honest.sh('echo three > a.txt');
    const expected = await world.collect(honest, prepared);

    const sandbox = await world.filled(prepared);
    const fake = '#!/usr/bin/bash\n/usr/bin/touch /tadpole/PLANTED\nexit 0\n';
    await sandbox.sh(
      [
        'mkdir -p ~/bin ~/.config/git bin',
        ...FAKE_TOOLS.flatMap((tool) => [
          `/usr/bin/cat > ~/bin/${tool} <<'E'\n${fake}E\n`,
          `/usr/bin/chmod +x ~/bin/${tool}`,
        ]),
        `printf '/usr/bin/touch /tadpole/PLANTED\\n' | /usr/bin/tee ~/.bashrc ~/.profile ~/.bash_profile ~/.shrc >/dev/null`,
        `printf '[core]\\n\\tfsmonitor = touch /tadpole/PLANTED\\n\\tattributesFile = ~/.attr\\n[filter "x"]\\n\\tclean = touch /tadpole/PLANTED\\n' | /usr/bin/tee ~/.gitconfig ~/.config/git/config >/dev/null`,
        `printf '* filter=x\\n' > ~/.attr; printf '*\\n' > ~/.config/git/ignore`,
        'echo three > a.txt; /usr/bin/rm -rf bin',
      ].join('\n'),
    );
    // The agent's own shell does run them, so that the trap is known to work.
    await sandbox.sh('git status');
    assert.ok(existsSync(path.join(sandbox.scratch, 'PLANTED')));
    await rm(path.join(sandbox.scratch, 'PLANTED'));

    const poisoned = withEnvironment(sandbox, {
      BASH_ENV: '/home/agent/.bashrc',
      ENV: '/home/agent/.bashrc',
      GIT_CONFIG_GLOBAL: '/home/agent/.gitconfig',
      GIT_EXEC_PATH: '/home/agent/bin',
      GIT_DIR: '/workspace/.git',
      GIT_WORK_TREE: '/tmp',
      GIT_INDEX_FILE: '/tmp/x',
      XDG_CONFIG_HOME: '/home/agent/.config',
    });
    const change = await collectChange(
      world.deps,
      { runId: RUN_ID, sandbox: poisoned, prepared, policy: POLICY },
      world,
    );
    assert.deepEqual(change, expected);
    assert.ok(!existsSync(path.join(sandbox.scratch, 'PLANTED')));
  });

  it('a scratch folder full of links leads nowhere: the name used cannot be known before', async () => {
    const sandbox = await world.filled(prepared);
    await sandbox.sh('echo three > a.txt');
    for (const name of ['change', 'change-0', 'packs', 'git'])
      await symlink('/workspace', path.join(sandbox.scratch, name));
    assert.equal((await world.collect(sandbox, prepared)).kind, 'changed');
    const names = sandbox.calls.map(({ id }) => id).filter((id) => id.startsWith('change-'));
    assert.equal(names.length, 1);
    assert.match(names[0]!, /^change-[0-9a-f]{24}$/);
  });
});

/** The sandbox as a hostile one would run our calls: with an environment of the agent's. */
function withEnvironment(sandbox: PlainSandbox, env: Record<string, string>): Pick<PlainSandbox, 'exec'> {
  return {
    exec: (call: ExecCall, options) => sandbox.exec({ ...call, env: { ...env, ...call.env } }, options),
  };
}

describe('src/run/change.ts: lying and changing answers (T12, T55)', () => {
  let world: World;
  let prepared: Prepared;
  before(async () => {
    world = await createWorld();
    prepared = await world.prepared({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  });
  after(() => world.close());

  const judge = (exec: PlainSandbox['exec']) =>
    collectChange(world.deps, { runId: RUN_ID, sandbox: { exec }, prepared, policy: POLICY }, world);

  it('a file that is rewritten between listing and reading is read again until both agree', async () => {
    const sandbox = await world.filled(prepared);
    await sandbox.sh('echo three > a.txt');
    let rewrites = 0;
    const change = await judge(async (call, options) => {
      if (call.id.startsWith('blobs') && rewrites < 2) {
        rewrites += 1;
        await writeFile(path.join(sandbox.workspace, 'a.txt'), `race ${rewrites}\n`);
      }
      return sandbox.exec(call, options);
    });
    assert.equal(rewrites, 2);
    assert.equal(change.kind, 'changed');
    const blob = await sandbox.sh('git hash-object --no-filters a.txt');
    assert.equal(await blobOf(world, change, 'a.txt'), blob.trim());
  });

  it('a tree that never stands still is refused', async () => {
    const sandbox = await world.filled(prepared);
    await sandbox.sh('echo three > a.txt');
    let n = 0;
    const change = await judge(async (call, options) => {
      if (call.id.startsWith('blobs'))
        await writeFile(path.join(sandbox.workspace, 'a.txt'), `race ${n++}\n`);
      return sandbox.exec(call, options);
    });
    assert.deepEqual(change, { kind: 'refused', problems: ['files kept changing while they were read'] });
  });

  const liars: Record<string, (answer: Buffer) => Buffer> = {
    'cut short': (answer) => answer.subarray(0, -5),
    'made longer': (answer) => Buffer.concat([answer, Buffer.from('x')]),
    empty: () => Buffer.alloc(0),
    'not a listing': () => Buffer.from('hello\n'),
    'of wrong sizes': (answer) => Buffer.from(answer.toString('latin1').replace(/^\d+/, '1'), 'latin1'),
    'of huge sizes': (answer) =>
      Buffer.from(answer.toString('latin1').replace(/^\d+/, '99999999999999999999'), 'latin1'),
  };
  for (const [name, lie] of Object.entries(liars)) {
    it(`an answer that is ${name} is a fault, never a change`, async () => {
      const sandbox = await world.filled(prepared);
      await sandbox.sh('rm b.txt');
      const exec: PlainSandbox['exec'] = async (call, options) => {
        const pieces: Uint8Array[] = [];
        const result = await sandbox.exec({ ...call, onStdout: (piece) => void pieces.push(piece) }, options);
        await call.onStdout?.(lie(Buffer.concat(pieces)));
        return result;
      };
      await assert.rejects(judge(exec), { code: 'sandbox_transfer_failed' });
    });
  }

  it('an endless answer ends at the cap', async () => {
    const sandbox = await world.filled(prepared);
    let sent = 0;
    const exec: PlainSandbox['exec'] = async (call, options) => {
      for (;;) {
        sent += 1 << 20;
        await call.onStdout?.(Buffer.alloc(1 << 20));
        if (sent > 1 << 30) return sandbox.exec(call, options);
      }
    };
    const change = await judge(exec);
    assert.equal(change.kind, 'refused');
    assert.ok(sent < 200 << 20, `${sent} bytes were taken`);
  });

  it('a folder that cannot be read never passes for deleted', async () => {
    const sandbox = await world.filled(prepared);
    const exec: PlainSandbox['exec'] = (call, options) => {
      const argv = call.argv.map((arg) =>
        arg.replace('find . "$@"', 'find . "$@"; find /root-of-nothing'),
      ) as [string];
      return sandbox.exec({ ...call, argv }, options);
    };
    const change = await judge(exec);
    assert.equal(change.kind, 'refused');
  });

  it('a sandbox that is lost is a fault', async () => {
    await assert.rejects(
      judge(async () => {
        throw new Error('transport cut');
      }),
      /transport cut/,
    );
  });
});

async function blobOf(world: World, change: Change, file: string): Promise<string> {
  assert.equal(change.kind, 'changed');
  return withTemporaryRepository(world.deps, world, async (repository) => {
    const stdin = await world.artifacts.open(change.pack);
    await world.git.run({ cwd: repository, args: ['index-pack', '--stdin'], stdin }, world);
    const listed = await world.git.run({ cwd: repository, args: ['ls-tree', change.tree, file] }, world);
    return listed.stdout.toString().split(/\s/)[2]!;
  });
}
