import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { fault } from '../../src/errors.ts';
import type { Queue, QueueEntry, QueueWorker, Side, WorkOptions } from '../../src/queue/types.ts';

export interface QueueUnderTest {
  readonly queue: Queue;
  /** A second process on the same backend. */
  readonly other: Queue;
  close(): Promise<void>;
}

/** The contract of `Queue` (src/queue/types.ts) as assertions, for any backend. */
export function describeQueue(name: string, open: () => Promise<QueueUnderTest>, skip: string | false): void {
  describe(`src/queue/types.ts on ${name}`, { skip, timeout: 120_000 }, () => {
    let world: QueueUnderTest;
    let queue: Queue;
    const workers: QueueWorker[] = [];
    before(async () => {
      world = await open();
      queue = world.queue;
    });
    beforeEach(() => drain(queue));
    afterEach(async () => {
      for (const worker of workers.splice(0)) await worker.close({ graceMs: 1_000 });
    });
    after(() => world?.close());

    const work = async (
      handle: WorkOptions['handle'],
      { side = 'sandbox' as Side, by = queue, concurrency = 4 } = {},
    ) => {
      const worker = await by.work(side, { concurrency, handle });
      workers.push(worker);
      return worker;
    };
    const add = (runId: string, step = 'queued', side: Side = 'sandbox') =>
      queue.add(side, { runId }, { step });

    it('hands an entry to a worker of its side, in another process too', async () => {
      const taken = collect(1);
      await work(async ({ runId }) => taken.push(runId), { by: world.other });
      await add('r_here');
      assert.deepEqual(await taken.all, ['r_here']);
      await add('r_there', 'queued', 'forge');
      assert.equal((await queue.counts('forge')).waiting, 1);
    });

    it('keeps an entry until a worker comes', async () => {
      await add('r_early');
      assert.deepEqual(await queue.counts('sandbox'), { waiting: 1, active: 0, parked: 0 });
      const taken = collect(1);
      await work(async ({ runId }) => taken.push(runId));
      assert.deepEqual(await taken.all, ['r_early']);
    });

    it('changes nothing when a run waits already under the same step, and takes another step', async () => {
      await add('r_twice');
      await add('r_twice');
      assert.equal((await queue.counts('sandbox')).waiting, 1);
      await add('r_twice', 'prepared');
      assert.equal((await queue.counts('sandbox')).waiting, 2);
    });

    it('takes the same run and step again after success', async () => {
      const taken = collect(2);
      await work(async ({ runId }) => taken.push(runId));
      await add('r_again');
      await taken.reached(1);
      await settled(queue);
      await add('r_again');
      assert.deepEqual(await taken.all, ['r_again', 'r_again']);
    });

    it('takes the same run and step again after a fault that ended the entry', async () => {
      const taken = collect(2);
      await work(async ({ runId }) => {
        taken.push(runId);
        throw fault('forge_unauthorized', { detail: 'no' });
      });
      await add('r_refused');
      await taken.reached(1);
      await settled(queue);
      assert.equal(taken.seen.length, 1, 'a fault that is not retryable does not come back');
      await add('r_refused');
      await taken.all;
    });

    it('brings an entry back after a retryable fault, no earlier than the fault says', async () => {
      const times: number[] = [];
      const taken = collect(2);
      await work(async ({ runId }) => {
        times.push(performance.now());
        taken.push(runId);
        if (times.length === 1) throw fault('forge_rate_limited', { detail: 'slow', retryAfterMs: 400 });
      });
      await add('r_limited');
      await taken.all;
      assert.ok((times[1] ?? 0) - (times[0] ?? 0) >= 395);
    });

    it('starts a delayed entry no earlier than asked', async () => {
      const taken = collect(1);
      await work(async ({ runId }) => taken.push(runId));
      const begun = performance.now();
      await queue.add('sandbox', { runId: 'r_later' }, { step: 'queued', delayMs: 400 });
      await taken.all;
      assert.ok(performance.now() - begun >= 395);
    });

    it('works on so many at once as asked, and no more', async () => {
      const taken = collect(4);
      let atOnce = 0;
      let most = 0;
      const gate = Promise.withResolvers<void>();
      await work(
        async ({ runId }) => {
          atOnce += 1;
          most = Math.max(most, atOnce);
          if (atOnce === 2) gate.resolve();
          await gate.promise;
          atOnce -= 1;
          taken.push(runId);
        },
        { concurrency: 2 },
      );
      for (const runId of ['r_a', 'r_b', 'r_c', 'r_d']) await add(runId);
      await taken.all;
      assert.equal(most, 2);
    });

    it('lets an entry in hand end before it closes', async () => {
      const started = Promise.withResolvers<void>();
      const finish = Promise.withResolvers<void>();
      let aborted = true;
      const worker = await work(async (_entry, { signal }) => {
        started.resolve();
        await finish.promise;
        aborted = signal.aborted;
      });
      await add('r_inhand');
      await started.promise;
      const closed = worker.close({ graceMs: 20_000 });
      await add('r_notaken', 'queued');
      finish.resolve();
      await closed;
      assert.equal(aborted, false);
      assert.deepEqual(await queue.counts('sandbox'), { waiting: 1, active: 0, parked: 0 });
    });

    it('aborts what is still in hand after the grace, and the entry comes back to another worker', async () => {
      const started = Promise.withResolvers<void>();
      const worker = await work(async (_entry, { signal }) => {
        started.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw fault('internal', { detail: 'shut down', retryable: false });
      });
      await add('r_handover');
      await started.promise;
      await worker.close({ graceMs: 50 });
      const taken = collect(1);
      await work(async ({ runId }) => taken.push(runId), { by: world.other });
      assert.deepEqual(await taken.all, ['r_handover']);
    });

    it('refuses run ids and steps that are not ours', async () => {
      for (const runId of ['', '1234', 'a:b', '../x', `r_${'x'.repeat(70)}`]) {
        await assert.rejects(add(runId), { code: 'internal' });
      }
      await assert.rejects(add('r_ok', 'Step:1'), { code: 'internal' });
    });

    it('answers a ping', () => queue.ping());
  });
}

/** Gathers what workers took, and tells when so many came. */
function collect(count: number) {
  const seen: string[] = [];
  const waiters: { readonly count: number; readonly resolve: () => void }[] = [];
  const reached = (n: number) =>
    new Promise<void>((resolve) => (seen.length >= n ? resolve() : waiters.push({ count: n, resolve })));
  return {
    seen,
    reached,
    push(runId: string) {
      seen.push(runId);
      for (const waiter of waiters) if (seen.length >= waiter.count) waiter.resolve();
    },
    get all() {
      return reached(count).then(() => [...seen]);
    },
  };
}

/** Waits until the side has nothing in hand. */
async function settled(queue: Queue, side: Side = 'sandbox'): Promise<void> {
  for (;;) {
    const { active, waiting } = await queue.counts(side);
    if (active + waiting === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Empties both sides, so that each test starts with nothing. */
async function drain(queue: Queue): Promise<void> {
  for (const side of ['forge', 'sandbox'] as const) {
    const { waiting, active } = await queue.counts(side);
    if (waiting + active === 0) continue;
    const worker = await queue.work(side, { concurrency: 8, handle: async (_entry: QueueEntry) => {} });
    await settled(queue, side);
    await worker.close({ graceMs: 5_000 });
  }
}
