import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fault } from '../../src/errors.ts';
import { createGit, type Git } from '../../src/git.ts';
import { createSecrets } from '../../src/secrets.ts';

const { signal } = new AbortController();

describe('src/git.ts', () => {
  let folder: string;
  let repository: string;
  let git: Git;
  const secrets = createSecrets();

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'tadpole-git-'));
    repository = path.join(folder, 'r.git');
    await mkdir(repository);
    git = createGit({ secrets, folders: [folder] });
    await git.run({ cwd: repository, args: ['init', '--bare', '--template='] }, { signal });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** A git that is this shell script. */
  async function fakeGit(script: string): Promise<Git> {
    const bin = await mkdtemp(path.join(folder, 'bin-'));
    await writeFile(path.join(bin, 'git'), `#!/bin/bash\n${script}\n`);
    await chmod(path.join(bin, 'git'), 0o755);
    return createGit({ secrets, folders: [folder], path: `${bin}:${process.env.PATH}` });
  }

  it('passes bytes in and out as they are', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 195, 40]);
    const written = await git.run(
      { cwd: repository, args: ['hash-object', '-w', '--stdin'], stdin: bytes },
      { signal },
    );
    const id = written.stdout.toString().trim();
    const read = await git.run({ cwd: repository, args: ['cat-file', 'blob', id] }, { signal });
    assert.deepEqual(read.stdout, bytes);
  });

  it('streams standard input and output', async () => {
    async function* pieces() {
      for (let n = 0; n < 100; n += 1) yield Buffer.alloc(10_000, n);
    }
    const written = await git.run(
      { cwd: repository, args: ['hash-object', '-w', '--stdin'], stdin: pieces() },
      { signal },
    );
    let bytes = 0;
    const args: [string, ...string[]] = ['cat-file', 'blob', written.stdout.toString().trim()];
    for await (const piece of git.stream({ cwd: repository, args }, { signal })) bytes += piece.length;
    assert.equal(bytes, 1_000_000);
  });

  it('throws a fault for a failing command, and returns the exit codes that the caller names', async () => {
    const args: [string, ...string[]] = ['cat-file', '-e', '1'.repeat(40)];
    await assert.rejects(git.run({ cwd: repository, args }, { signal }), { code: 'git_failed' });
    assert.equal((await git.run({ cwd: repository, args, accept: [1] }, { signal })).exitCode, 1);
  });

  it('keeps what git says short, and free of secrets', async () => {
    secrets.register('a-registered-secret');
    const noisy = await fakeGit(
      'echo start a-registered-secret >&2; head -c 5000000 /dev/zero | tr "\\0" x >&2; exit 9',
    );
    const result = await noisy.run({ cwd: repository, args: ['x'], accept: [9] }, { signal });
    assert.match(result.stderr, /^start \[secret\]/);
    assert.ok(result.stderr.length <= 64 * 1024);
  });

  it('ends a command that writes more than the limit', async () => {
    const endless = await fakeGit('yes');
    const call = { cwd: repository, args: ['x'] as [string], maxOutputBytes: 100_000 };
    await assert.rejects(endless.run(call, { signal }), { code: 'git_failed', retryable: false });
  });

  for (const [how, end] of [
    ['at abort', (stop: AbortController) => stop.abort(new Error('cancelled'))],
    ['at the time-out', () => {}],
  ] as const) {
    it(`ends the whole process group ${how}, helpers included`, async () => {
      const pids = path.join(folder, `pids-${how.length}`);
      const stuck = await fakeGit(`sleep 1000 & echo $! $$ > ${pids}; wait`);
      const stop = new AbortController();
      const timeoutMs = how === 'at abort' ? 60_000 : 1000;
      const running = stuck.run({ cwd: repository, args: ['x'], timeoutMs }, { signal: stop.signal });
      running.catch(() => undefined);
      while (!existsSync(pids) || (await readFile(pids, 'utf8')) === '')
        await new Promise((resolve) => setImmediate(resolve));
      end(stop);
      await assert.rejects(running, how === 'at abort' ? /cancelled/ : { code: 'git_failed' });
      for (const pid of (await readFile(pids, 'utf8')).trim().split(' '))
        assert.ok(await hasEnded(Number(pid)), pid);
    });
  }

  it('does not start once the signal has fired', async () => {
    const log = path.join(folder, 'started');
    const logging = await fakeGit(`touch ${log}`);
    const aborted = AbortSignal.abort(new Error('cancelled'));
    await assert.rejects(logging.run({ cwd: repository, args: ['x'] }, { signal: aborted }), /cancelled/);
    assert.ok(!existsSync(log));
  });

  it('lets the fault of whoever feeds it through', async () => {
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('x');
      throw fault('artifact_missing', { detail: 'gone' });
    }
    const call = { cwd: repository, args: ['hash-object', '--stdin'] as [string, string], stdin: broken() };
    await assert.rejects(git.run(call, { signal }), { code: 'artifact_missing' });
  });

  it('a reader that walks away ends the command', async () => {
    const pids = path.join(folder, 'pids-reader');
    const endless = await fakeGit(`echo $$ > ${pids}; yes`);
    for await (const piece of endless.stream({ cwd: repository, args: ['x'] }, { signal })) {
      assert.ok(piece.length > 0);
      break;
    }
    assert.ok(await hasEnded(Number(await readFile(pids, 'utf8'))));
  });
});

/** True once the process is gone or a zombie; a killed process is one of them at once, give or take the kernel. */
async function hasEnded(pid: number): Promise<boolean> {
  for (let look = 0; look < 200; look += 1) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
    if (stat === null || / [ZX] /.test(stat)) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return false;
}
