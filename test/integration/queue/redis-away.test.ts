import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { openQueue } from '../../../src/queue/bullmq.ts';
import type { Queue } from '../../../src/queue/types.ts';
import { gatherLog } from '../../fakes/log-lines.ts';
import { freePort } from '../../services/process.ts';
import { type RedisService, redisMissing, startRedis } from '../../services/redis.ts';

/** The port's promise is 4 s; the rest is for a busy machine. */
const IN_TIME_MS = 6_000;

async function failsInTime(operation: () => Promise<unknown>): Promise<void> {
  const begun = performance.now();
  await assert.rejects(operation, { code: 'queue_unavailable', retryable: true });
  assert.ok(performance.now() - begun < IN_TIME_MS);
}

/** Tries until it works: the client comes back by itself, after a pause of its own. */
async function worksAgain(operation: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    try {
      return void (await operation());
    } catch (err) {
      if (performance.now() > deadline) throw err;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('src/queue/bullmq.ts while Redis is away', { skip: redisMissing, timeout: 120_000 }, () => {
  const { log, lines } = gatherLog();
  let redis: RedisService;
  let queue: Queue;
  before(async () => {
    redis = await startRedis(['--appendonly', 'yes']);
    queue = await openQueue({ redisUrl: redis.url, log });
  });
  afterEach(() => redis.resume());
  after(async () => {
    await queue?.close();
    await redis?.stop();
  });
  const add = (runId: string) => queue.add('forge', { runId }, { step: 'queued' });

  it('fails in time while Redis is stopped, and works when it is back, without a restart of ours', async () => {
    await add('r_before');
    await redis.kill();
    await failsInTime(() => add('r_during'));
    await failsInTime(() => queue.ping());
    await failsInTime(() => queue.counts('forge'));
    await failsInTime(() => queue.warnings());
    await redis.start();
    await worksAgain(() => add('r_after'));
  });

  it('keeps what was added through a hard stop, with append-only persistence', async () => {
    const { waiting } = await queue.counts('forge');
    for (let i = 0; i < 50; i += 1) await add(`r_kept${i}`);
    await redis.kill();
    await redis.start();
    await worksAgain(() => queue.ping());
    assert.equal((await queue.counts('forge')).waiting, waiting + 50);
  });

  it('fails in time while Redis hangs, and works when it goes on', async () => {
    redis.pause();
    await failsInTime(() => add('r_hanging'));
    redis.resume();
    await worksAgain(() => add('r_resumed'));
  });

  it('goes on taking entries after Redis was away, and says so in two lines', async () => {
    const taken = Promise.withResolvers<string>();
    const worker = await queue.work('sandbox', {
      concurrency: 1,
      handle: async ({ runId }) => taken.resolve(runId),
    });
    lines.length = 0;
    await redis.kill();
    await failsInTime(() => queue.add('sandbox', { runId: 'r_lost' }, { step: 'queued' }));
    await until(() => lines.filter(({ msg }) => msg === 'queue connection failed').length > 1);
    await redis.start();
    await worksAgain(() => queue.add('sandbox', { runId: 'r_found' }, { step: 'queued' }));
    assert.equal(await taken.promise, 'r_found');
    await worker.close({ graceMs: 1_000 });
    assert.deepEqual(
      lines.filter(({ level }) => level !== 'debug').map(({ msg }) => msg),
      ['queue connection failed', 'queue connection works again'],
    );
  });

  it('closes a worker and the queue in bounded time while Redis hangs', async () => {
    const own = await openQueue({ redisUrl: redis.url, log });
    const worker = await own.work('sandbox', { concurrency: 1, handle: async () => {} });
    redis.pause();
    const begun = performance.now();
    await worker.close({ graceMs: 100 });
    await own.close();
    assert.ok(performance.now() - begun < 30_000);
  });

  it('refuses to open where nothing answers', async () => {
    const port = await freePort();
    await failsInTime(() => openQueue({ redisUrl: `redis://127.0.0.1:${port}`, log }));
    await failsInTime(() => openQueue({ redisUrl: 'redis://no-such-host.invalid:6379', log }));
    await assert.rejects(openQueue({ log }), { code: 'config_invalid' });
  });
});

describe('src/queue/bullmq.ts on a Redis that is full', { skip: redisMissing, timeout: 120_000 }, () => {
  it('fails at once, leaves nothing half written, and works when there is room', async () => {
    const redis = await startRedis(['--maxmemory', '5mb', '--maxmemory-policy', 'noeviction']);
    const queue = await openQueue({ redisUrl: redis.url, log: gatherLog().log });
    const admin = new Redis(redis.url);
    try {
      for (const size of [200_000, 2_000, 1]) {
        for (let i = 0; ; i += 1) {
          const stored = await admin.set(`filler:${size}:${i}`, 'x'.repeat(size)).catch(() => null);
          if (stored === null) break;
        }
      }
      const add = () => queue.add('forge', { runId: 'r_full' }, { step: 'queued' });
      await failsInTime(add);
      assert.equal(await admin.exists('bull:tadpole-forge:r_full.queued'), 0);
      await admin.del(...(await admin.keys('filler:*')));
      await worksAgain(add);
      assert.equal((await queue.counts('forge')).waiting, 1);
    } finally {
      admin.disconnect();
      await queue.close();
      await redis.stop();
    }
  });
});
