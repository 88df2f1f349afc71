import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { Fault } from '../../src/errors.ts';
import { type Sandbox, type SandboxProvider, SCRATCH, WORKSPACE } from '../../src/sandbox/types.ts';
import { LIMITS, MIB, never, run, sh, specFor, text } from '../fakes/sandboxes.ts';

export interface SandboxWorld {
  readonly provider: SandboxProvider;
  /** Names of everything of ours that exists outside: folders, pods, groups. */
  leftovers(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** The prose of src/sandbox/types.ts as assertions, for any backend. */
export function describeSandbox(path: string, open: () => Promise<SandboxWorld>): void {
  describe(path, () => {
    let world: SandboxWorld;
    let sandbox: Sandbox;
    const signal = never();

    before(async () => {
      world = await open();
      sandbox = await world.provider.create(specFor('contract'), { signal });
    });
    after(async () => {
      await sandbox?.destroy();
      await world?.close();
    });

    it('says what it is and what it does not limit', async () => {
      await world.provider.check({ signal });
      const { kind, version, notLimited } = world.provider.describe();
      assert.match(kind, /^[a-z_]+$/);
      assert.match(version, /\d/);
      assert.ok(notLimited.every((item) => item.length > 0));
    });

    it('starts with an empty work tree, a writable home, scratch and temporary folder', async () => {
      const fresh = await world.provider.create(specFor('contract'), { signal });
      try {
        const result = await sh(
          fresh,
          `ls -A ${WORKSPACE} ${SCRATCH} | grep -v : ; pwd; for d in "$HOME" "$TMPDIR" ${WORKSPACE} ${SCRATCH}; do : > "$d/x" || exit 1; done`,
        );
        assert.equal(text(result.stdout).trim(), WORKSPACE);
        assert.equal(result.exitCode, 0);
      } finally {
        await fresh.destroy();
      }
    });

    it('runs exactly the argv, without a shell', async () => {
      const words = ['$HOME', '`id`', 'a b', "it's", '', '*', '-n', 'line\nline', '\\', 'ä€😀'];
      const result = await run(sandbox, ['/usr/bin/printf', '%s\\0', ...words]);
      assert.deepEqual(text(result.stdout).split('\0').slice(0, -1), words);
    });

    it('gives the exit code as a result', async () => {
      for (const code of [0, 1, 5, 127, 130, 137, 255]) {
        const result = await sh(sandbox, `exit ${code}`);
        assert.deepEqual([result.exitCode, result.signal, result.timedOut], [code, null, false]);
      }
    });

    it('gives the same keys whatever happened', async () => {
      const keys = ['durationMs', 'exitCode', 'outOfMemory', 'signal', 'stderr', 'stdout', 'timedOut'];
      assert.deepEqual(Object.keys(await sh(sandbox, 'exit 3')).sort(), keys);
      assert.deepEqual(Object.keys(await sh(sandbox, 'sleep 60', { timeoutMs: 200 })).sort(), keys);
    });

    it('keeps both streams apart', async () => {
      const result = await sh(sandbox, 'echo out; echo err >&2');
      assert.deepEqual([text(result.stdout), text(result.stderr)], ['out\n', 'err\n']);
    });

    it('runs in the folder and with the variables that the call names, and no others', async () => {
      await sh(sandbox, 'mkdir -p "sub folder"');
      const result = await run(sandbox, ['/usr/bin/env'], {
        cwd: `${WORKSPACE}/sub folder`,
        env: { GREETING: 'two\nlines $HOME' },
      });
      const names = text(result.stdout).match(/^[A-Z_a-z]+(?==)/gm);
      assert.deepEqual(names?.sort(), ['GREETING', 'HOME', 'LANG', 'PATH', 'PWD', 'TMPDIR']);
      assert.match(text(result.stdout), /GREETING=two\nlines \$HOME\n/);
      assert.match(text(result.stdout), /PWD=\/workspace\/sub folder\n/);
    });

    it('keeps files between calls', async () => {
      await sh(sandbox, `echo kept > ${WORKSPACE}/file; echo kept > ~/file; echo kept > /tmp/file`);
      const result = await sh(sandbox, `cat ${WORKSPACE}/file ~/file /tmp/file`);
      assert.equal(text(result.stdout), 'kept\nkept\nkept\n');
    });

    it('shares nothing with another sandbox', async () => {
      const other = await world.provider.create(specFor('contract'), { signal });
      try {
        await sh(
          sandbox,
          `echo mine > ${WORKSPACE}/mine; echo mine > /tmp/mine; echo mine > ${SCRATCH}/mine`,
        );
        const result = await sh(other, `ls -A ${WORKSPACE} /tmp ${SCRATCH} ~ | grep -c mine`);
        assert.equal(text(result.stdout), '0\n');
      } finally {
        await other.destroy();
      }
    });

    it('never runs one call id twice', async () => {
      const call = { id: 'once', argv: ['/bin/sh', '-c', 'echo ran >> once'], timeoutMs: 10_000 } as const;
      await sandbox.exec(call, { signal });
      await sandbox.exec(call, { signal }).catch(() => {});
      assert.equal(text((await sh(sandbox, 'cat once')).stdout), 'ran\n');
    });

    it('feeds stdin whole, also when it comes in pieces', async () => {
      async function* pieces() {
        for (let index = 0; index < 300; index += 1) yield Buffer.alloc(10_000, index % 256);
      }
      const hash = createHash('sha256');
      for await (const piece of pieces()) hash.update(piece);
      const result = await sh(sandbox, 'sha256sum', { stdin: pieces() });
      assert.equal(text(result.stdout).slice(0, 64), hash.digest('hex'));
    });

    it('gives a program without stdin the end of file', async () => {
      assert.equal((await sh(sandbox, 'cat', { timeoutMs: 20_000 })).exitCode, 0);
    });

    it('does not mind a program that does not read its stdin', async () => {
      const result = await sh(sandbox, 'exit 7', { stdin: Buffer.alloc(4 * MIB) });
      assert.equal(result.exitCode, 7);
    });

    it('ends the call when the source of stdin fails', async () => {
      async function* broken() {
        yield Buffer.from('half');
        throw new Error('source broke');
      }
      await assert.rejects(sh(sandbox, 'cat; sleep 60', { stdin: broken() }), /source broke/);
    });

    it('keeps head and tail and counts the middle', async () => {
      const keep = { headBytes: 10, tailBytes: 20 };
      const { stdout } = await sh(sandbox, 'seq 1 100000', { keep });
      assert.equal(Buffer.from(stdout.head).toString(), '1\n2\n3\n4\n5\n');
      assert.equal(Buffer.from(stdout.tail).toString(), '\n99998\n99999\n100000\n');
      assert.equal(stdout.omittedBytes, 588_895 - 30);
    });

    it('hands stdout over piece by piece, and waits for the taker', async () => {
      let open = 0;
      let most = 0;
      let bytes = 0;
      const result = await sh(sandbox, 'head -c 3000000 /dev/zero', {
        onStdout: async (piece) => {
          open += 1;
          most = Math.max(most, open);
          bytes += piece.length;
          await new Promise(setImmediate);
          open -= 1;
        },
      });
      assert.deepEqual([bytes, most, text(result.stdout)], [3_000_000, 1, '']);
    });

    it('ends the call when the taker throws', async () => {
      const onStdout = () => {
        throw new Error('enough');
      };
      await assert.rejects(sh(sandbox, 'echo x; sleep 60', { onStdout }), /enough/);
    });

    it('says that a call timed out, with the output so far', async () => {
      const result = await sh(sandbox, 'echo before; echo trouble >&2; sleep 60', { timeoutMs: 700 });
      assert.equal(result.timedOut, true);
      assert.deepEqual([text(result.stdout), text(result.stderr)], ['before\n', 'trouble\n']);
      assert.notEqual(result.exitCode, 0);
    });

    it('leaves no process of a call alive, whatever it forked', async () => {
      const beat = (name: string) => `while :; do echo beat >> ${WORKSPACE}/${name}; sleep 0.02; done`;
      const detached = `setsid sh -c '(${beat('twice')} &) &' > /dev/null 2>&1 < /dev/null`;
      await sh(
        sandbox,
        `(${beat('plain')} &); ${detached}; until [ -s plain ] && [ -s twice ]; do sleep 0.02; done`,
      );
      const sizes = await sh(sandbox, 'stat -c %s plain twice; sleep 0.3; stat -c %s plain twice');
      const lines = text(sizes.stdout).split('\n');
      assert.ok(lines.slice(0, 2).every((size) => Number(size) > 0));
      assert.deepEqual(lines.slice(2, 4), lines.slice(0, 2));
    });

    it('rejects with the reason of an abort, and the sandbox goes on', async () => {
      const controller = new AbortController();
      const call = sh(sandbox, 'echo up; sleep 60', {
        signal: controller.signal,
        onStdout: () => controller.abort(new Error('no longer wanted')),
      });
      await assert.rejects(call, /no longer wanted/);
      assert.equal((await sh(sandbox, 'exit 4')).exitCode, 4);
    });

    it('does not run a call that is aborted before', async () => {
      await assert.rejects(
        sh(sandbox, 'echo ran > aborted', { signal: AbortSignal.abort(new Error('before')) }),
      );
      assert.equal((await sh(sandbox, 'test -e aborted')).exitCode, 1);
    });

    it('puts and gets bytes as they are', async () => {
      const bytes = randomBytes(1_000_003);
      await sandbox.put(`${WORKSPACE}/deep/er/ file`, bytes, { signal });
      const read = await sandbox.get(`${WORKSPACE}/deep/er/ file`, { signal, maxBytes: bytes.length });
      assert.deepEqual(Buffer.from(read ?? []), bytes);
    });

    it('puts an empty file, and replaces what was there with the mode that is asked for', async () => {
      await sandbox.put(`${WORKSPACE}/tool`, Buffer.from('old content'), { signal });
      await sandbox.put(`${WORKSPACE}/tool`, new Uint8Array(), { signal, mode: 0o755 });
      assert.equal(text((await sh(sandbox, 'stat -c "%s %a" tool')).stdout), '0 755\n');
    });

    it('leaves no part of a file when its source fails', async () => {
      async function* broken() {
        yield Buffer.from('half');
        throw new Error('source broke');
      }
      await assert.rejects(sandbox.put(`${WORKSPACE}/part/file`, broken(), { signal }), /source broke/);
      assert.equal((await sh(sandbox, 'test -e part/file')).exitCode, 1);
    });

    it('gets null for what is missing', async () => {
      assert.equal(await sandbox.get(`${WORKSPACE}/none`, { signal, maxBytes: 10 }), null);
      assert.equal(await sandbox.get(`${WORKSPACE}/none/none`, { signal, maxBytes: 10 }), null);
    });

    it('refuses to get more than was asked for, and what is no file', async () => {
      await sh(sandbox, 'head -c 11 /dev/zero > eleven; mkfifo fifo; mkdir folder');
      for (const name of ['eleven', 'fifo', 'folder'])
        await assert.rejects(sandbox.get(`${WORKSPACE}/${name}`, { signal, maxBytes: 10 }), isTransferFault);
      const whole = await sandbox.get(`${WORKSPACE}/eleven`, { signal, maxBytes: 11 });
      assert.equal(whole?.length, 11);
    });

    it('finds its own isolation closed', async () => {
      const { isolated, findings } = await sandbox.probe({ signal });
      assert.deepEqual(
        findings.filter(({ closed }) => !closed),
        [],
      );
      assert.ok(isolated && findings.length > 5);
    });

    it('refuses a file over the limit and goes on', async () => {
      const small = await world.provider.create(specFor('contract', { fileBytes: MIB }), { signal });
      try {
        await assert.rejects(
          small.put(`${WORKSPACE}/big`, Buffer.alloc(2 * MIB), { signal }),
          isTransferFault,
        );
        assert.notEqual((await sh(small, 'head -c 2000000 /dev/zero > big')).exitCode, 0);
        assert.equal(text((await sh(small, 'find . -size +1024k | wc -l')).stdout), '0\n');
      } finally {
        await small.destroy();
      }
    });

    it('ends by itself at its deadline, and says that it is lost', async () => {
      const short = await world.provider.create(specFor('contract', { lifetimeMs: 1500 }), { signal });
      try {
        await assert.rejects(sh(short, 'sleep 60'), isLost);
        await assert.rejects(sh(short, 'true'), isLost);
      } finally {
        await short.destroy();
      }
    });

    it('leaves nothing after destroy, which may come twice and during a call', async () => {
      const before = await world.leftovers();
      const gone = await world.provider.create(specFor('gone'), { signal });
      assert.ok((await world.leftovers()).length > before.length);
      const call = assert.rejects(sh(gone, 'mkdir -p a/b; chmod 000 a; sleep 60'), isLost);
      await Promise.all([gone.destroy(), gone.destroy(), call]);
      await assert.rejects(sh(gone, 'true'), isLost);
      await gone.destroy();
      assert.deepEqual(await world.leftovers(), before);
    });

    it('reaps the sandboxes of runs that are not live, and no others', async () => {
      const dead = await world.provider.create(specFor('dead-run'), { signal });
      const live = await world.provider.create(specFor('live-run'), { signal });
      try {
        const names = await world.provider.reap(async (runId) => runId !== 'dead-run');
        assert.deepEqual(names, [dead.name]);
        assert.equal((await sh(live, 'exit 6')).exitCode, 6);
        await assert.rejects(sh(dead, 'true'), Fault);
      } finally {
        await dead.destroy();
        await live.destroy();
      }
    });

    it('refuses to create for an aborted caller', async () => {
      const create = world.provider.create(
        { runId: 'aborted', purpose: 'base', image: null, limits: LIMITS },
        { signal: AbortSignal.abort(new Error('stopped')) },
      );
      await assert.rejects(create, /stopped/);
    });
  });
}

const isTransferFault = (err: unknown) => err instanceof Fault && err.code === 'sandbox_transfer_failed';
const isLost = (err: unknown) => err instanceof Fault && err.code === 'sandbox_lost';
