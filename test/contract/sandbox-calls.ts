import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { it } from 'node:test';
import { WORKSPACE } from '../../src/sandbox/types.ts';
import { MIB, never, run, sh, text } from '../fakes/sandboxes.ts';
import type { Subject } from './sandbox-suite.ts';

/** exec: what a call is given, what comes back, and what is left of it. */
export function callTests({ sandbox }: Subject): void {
  const signal = never();

  it('runs exactly the argv, without a shell', async () => {
    const words = ['$HOME', '`id`', 'a b', "it's", '', '*', '-n', 'line\nline', '\\', 'ä€😀'];
    const result = await run(sandbox(), ['/usr/bin/printf', '%s\\0', ...words]);
    assert.deepEqual(text(result.stdout).split('\0').slice(0, -1), words);
  });

  it('gives the exit code as a result', async () => {
    for (const code of [0, 1, 5, 127, 130, 137, 255]) {
      const result = await sh(sandbox(), `exit ${code}`);
      assert.deepEqual([result.exitCode, result.signal, result.timedOut], [code, null, false]);
    }
  });

  it('gives the same keys whatever happened', async () => {
    const keys = ['durationMs', 'exitCode', 'outOfMemory', 'signal', 'stderr', 'stdout', 'timedOut'];
    assert.deepEqual(Object.keys(await sh(sandbox(), 'exit 3')).sort(), keys);
    assert.deepEqual(Object.keys(await sh(sandbox(), 'sleep 60', { timeoutMs: 200 })).sort(), keys);
  });

  it('keeps both streams apart', async () => {
    const result = await sh(sandbox(), 'echo out; echo err >&2');
    assert.deepEqual([text(result.stdout), text(result.stderr)], ['out\n', 'err\n']);
  });

  it('runs in the folder and with the variables that the call names, and no others', async () => {
    await sh(sandbox(), 'mkdir -p "sub folder"');
    const result = await run(sandbox(), ['/usr/bin/env'], {
      cwd: `${WORKSPACE}/sub folder`,
      env: { GREETING: 'two\nlines $HOME' },
    });
    const names = text(result.stdout).match(/^[A-Z_a-z]+(?==)/gm);
    assert.deepEqual(names?.sort(), ['GREETING', 'HOME', 'LANG', 'PATH', 'PWD', 'TMPDIR']);
    assert.match(text(result.stdout), /GREETING=two\nlines \$HOME\n/);
    assert.match(text(result.stdout), /PWD=\/workspace\/sub folder\n/);
  });

  it('never runs one call id twice', async () => {
    const call = { id: 'once', argv: ['/bin/sh', '-c', 'echo ran >> once'], timeoutMs: 10_000 } as const;
    await sandbox().exec(call, { signal });
    await sandbox()
      .exec(call, { signal })
      .catch(() => {});
    assert.equal(text((await sh(sandbox(), 'cat once')).stdout), 'ran\n');
  });

  it('feeds stdin whole, also when it comes in pieces', async () => {
    async function* pieces() {
      for (let index = 0; index < 300; index += 1) yield Buffer.alloc(10_000, index % 256);
    }
    const hash = createHash('sha256');
    for await (const piece of pieces()) hash.update(piece);
    const result = await sh(sandbox(), 'sha256sum', { stdin: pieces() });
    assert.equal(text(result.stdout).slice(0, 64), hash.digest('hex'));
  });

  it('gives a program without stdin the end of file', async () => {
    assert.equal((await sh(sandbox(), 'cat', { timeoutMs: 20_000 })).exitCode, 0);
  });

  it('does not mind a program that does not read its stdin', async () => {
    const result = await sh(sandbox(), 'exit 7', { stdin: Buffer.alloc(4 * MIB) });
    assert.equal(result.exitCode, 7);
  });

  it('ends the call when the source of stdin fails', async () => {
    async function* broken() {
      yield Buffer.from('half');
      throw new Error('source broke');
    }
    await assert.rejects(sh(sandbox(), 'cat; sleep 60', { stdin: broken() }), /source broke/);
  });

  it('keeps head and tail and counts the middle', async () => {
    const keep = { headBytes: 10, tailBytes: 20 };
    const { stdout } = await sh(sandbox(), 'seq 1 100000', { keep });
    assert.equal(Buffer.from(stdout.head).toString(), '1\n2\n3\n4\n5\n');
    assert.equal(Buffer.from(stdout.tail).toString(), '\n99998\n99999\n100000\n');
    assert.equal(stdout.omittedBytes, 588_895 - 30);
  });

  it('hands stdout over piece by piece, and waits for the taker', async () => {
    let open = 0;
    let most = 0;
    let bytes = 0;
    const result = await sh(sandbox(), 'head -c 3000000 /dev/zero', {
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
    await assert.rejects(sh(sandbox(), 'echo x; sleep 60', { onStdout }), /enough/);
  });

  it('says that a call timed out, with the output so far', async () => {
    const result = await sh(sandbox(), 'echo before; echo trouble >&2; sleep 60', { timeoutMs: 700 });
    assert.equal(result.timedOut, true);
    assert.deepEqual([text(result.stdout), text(result.stderr)], ['before\n', 'trouble\n']);
    assert.notEqual(result.exitCode, 0);
  });

  it('leaves no process of a call alive, whatever it forked', async () => {
    const beat = (name: string) => `while :; do echo beat >> ${WORKSPACE}/${name}; sleep 0.02; done`;
    const detached = `setsid sh -c '(${beat('twice')} &) &' > /dev/null 2>&1 < /dev/null`;
    await sh(
      sandbox(),
      `(${beat('plain')} &); ${detached}; until [ -s plain ] && [ -s twice ]; do sleep 0.02; done`,
    );
    const sizes = await sh(sandbox(), 'stat -c %s plain twice; sleep 0.3; stat -c %s plain twice');
    const lines = text(sizes.stdout).split('\n');
    assert.ok(lines.slice(0, 2).every((size) => Number(size) > 0));
    assert.deepEqual(lines.slice(2, 4), lines.slice(0, 2));
  });

  it('rejects with the reason of an abort, and the sandbox goes on', async () => {
    const controller = new AbortController();
    const call = sh(sandbox(), 'echo up; sleep 60', {
      signal: controller.signal,
      onStdout: () => controller.abort(new Error('no longer wanted')),
    });
    await assert.rejects(call, /no longer wanted/);
    assert.equal((await sh(sandbox(), 'exit 4')).exitCode, 4);
  });

  it('does not run a call that is aborted before', async () => {
    await assert.rejects(
      sh(sandbox(), 'echo ran > aborted', { signal: AbortSignal.abort(new Error('before')) }),
    );
    assert.equal((await sh(sandbox(), 'test -e aborted')).exitCode, 1);
  });
}
