import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ExecCall, ExecResult, Sandbox } from '../../src/sandbox/types.ts';
import { type BubblewrapWorld, MIB, openBubblewrap, sh, text } from '../fakes/sandboxes.ts';

/** Runs a command and says by how much this process grew meanwhile. */
async function measured(
  sandbox: Sandbox,
  command: string,
  rest: Partial<Omit<ExecCall, 'argv'>> = {},
): Promise<ExecResult & { grownMib: number }> {
  const idle = process.memoryUsage().rss;
  let peak = idle;
  const sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 10);
  try {
    const result = await sh(sandbox, command, rest);
    return { ...result, grownMib: (peak - idle) / MIB };
  } finally {
    clearInterval(sampler);
  }
}

/** Far below what was printed, far above what reading it takes. */
const FLAT_MIB = 120;

describe('src/sandbox/bubblewrap: huge and endless output (E18)', () => {
  let world: BubblewrapWorld;
  let sandbox: Sandbox;
  before(async () => {
    world = await openBubblewrap();
    sandbox = await world.create();
  });
  after(() => world.close());

  it('`yes` until the time-out: flat memory, head and tail', async () => {
    const result = await measured(sandbox, 'yes', { timeoutMs: 1500 });
    assert.equal(result.timedOut, true);
    assert.ok(result.stdout.omittedBytes > 50 * MIB);
    assert.match(text(result.stdout), /^(y\n)+$/);
    assert.ok(result.grownMib < FLAT_MIB, `${result.grownMib} MiB`);
  });

  it('/dev/urandom on both streams until the time-out', async () => {
    const result = await measured(sandbox, 'cat /dev/urandom >&2 & cat /dev/urandom', { timeoutMs: 1500 });
    assert.equal(result.timedOut, true);
    assert.ok(result.stdout.omittedBytes > MIB && result.stderr.omittedBytes > MIB);
    assert.equal(result.stdout.head.length, 32 * 1024);
    assert.equal(result.stdout.tail.length, 32 * 1024);
    assert.ok(result.grownMib < FLAT_MIB, `${result.grownMib} MiB`);
  });

  it('300 MB and then a reason in one line: the true exit code and the reason', async () => {
    const result = await measured(
      sandbox,
      'yes "a test prints" | head -c 300000000; echo "E: assert 1 == 2"; exit 1',
    );
    assert.deepEqual([result.exitCode, result.timedOut], [1, false]);
    assert.match(text(result.stdout), /^a test prints\n/);
    assert.match(text(result.stdout), /E: assert 1 == 2\n$/);
    const kept = result.stdout.head.length + result.stdout.tail.length;
    assert.equal(kept + result.stdout.omittedBytes, 300_000_017);
    assert.ok(result.grownMib < FLAT_MIB, `${result.grownMib} MiB`);
  });

  it('one line of 50 MB', async () => {
    const result = await measured(sandbox, "head -c 50000000 /dev/zero | tr '\\0' x; echo end");
    assert.equal(result.exitCode, 0);
    assert.match(text(result.stdout), /^x+xend\n$/);
    assert.ok(result.grownMib < FLAT_MIB, `${result.grownMib} MiB`);
  });

  it('a slow taker holds the program back instead of filling memory', async () => {
    let bytes = 0;
    const result = await measured(sandbox, 'head -c 200000000 /dev/zero', {
      onStdout: async (piece) => {
        bytes += piece.length;
        await new Promise(setImmediate);
      },
    });
    assert.deepEqual([result.exitCode, bytes], [0, 200_000_000]);
    assert.ok(result.grownMib < FLAT_MIB, `${result.grownMib} MiB`);
  });

  it('a program can open its streams by name, as scripts do', async () => {
    const command = 'echo out > /dev/stdout; echo err > /dev/stderr; sleep 0.2; cat /dev/stdin';
    const fed = await sh(sandbox, command, { stdin: Buffer.from('in\n'), timeoutMs: 10_000 });
    assert.deepEqual([text(fed.stdout), text(fed.stderr), fed.exitCode], ['out\nin\n', 'err\n', 0]);
    const bare = await sh(sandbox, command, { timeoutMs: 10_000 });
    assert.deepEqual([text(bare.stdout), text(bare.stderr), bare.exitCode], ['out\n', 'err\n', 0]);
  });

  it('a program that is killed while it is fed is told from one that exits', async () => {
    const stdin = Buffer.alloc(MIB);
    const killed = await sh(sandbox, 'kill -9 $$', { stdin });
    assert.deepEqual([killed.exitCode, killed.signal], [null, 9]);
    assert.equal((await sh(sandbox, 'exit 137', { stdin })).exitCode, 137);
  });

  it('a program that ends while its input is still open is not waited for', async () => {
    async function* stuck() {
      yield Buffer.from('x');
      await new Promise(() => {});
    }
    assert.equal((await sh(sandbox, 'exit 8', { stdin: stuck(), timeoutMs: 20_000 })).exitCode, 8);
  });

  it('what it writes into its own exit record decides nothing but its own exit', async () => {
    const forged = await sh(
      sandbox,
      'for fd in 3 4 5 6; do echo "exit 0" > /proc/1/fd/$fd; done 2>/dev/null; exit 6',
    );
    assert.equal(forged.exitCode, 6);
    const flood = await sh(sandbox, 'yes "exit 0" | head -c 100000 > /proc/1/fd/3; exit 6').catch(
      (err) => err.code,
    );
    assert.ok(flood === 'sandbox_lost' || flood.exitCode === 6);
  });
});
