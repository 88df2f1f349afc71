import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { Queue as BullQueue } from 'bullmq';
import { Redis } from 'ioredis';
import { fault } from '../../src/errors.ts';
import { openQueue } from '../../src/queue/bullmq.ts';
import type { Queue, QueueWorker } from '../../src/queue/types.ts';
import { gatherLog } from '../fakes/log-lines.ts';
import { type RedisService, redisMissing, startRedis } from '../services/redis.ts';

/** T34, R29, R41: what anyone with access to Redis may have written under our names. */
const FORGED: readonly unknown[] = [
  null,
  'text',
  42,
  [],
  {},
  { runId: 'r_old' },
  { v: 0, runId: 'r_old' },
  { v: 2, runId: 'r_new' },
  { v: 1 },
  { v: 1, runId: 7 },
  { v: 1, runId: '../../etc/passwd' },
  { v: 1, runId: "r_1'; DROP TABLE runs; --" },
  { v: 1, runId: 'r_1\u0000' },
  { v: 1, runId: `r_${'x'.repeat(100_000)}` },
  { v: 1, runId: 'r_1', token: 'smuggled' },
  { __proto__: { v: 1 }, runId: 'r_1' },
  { v: 1, runId: ['r_1'] },
];

describe('forged and foreign queue entries', { skip: redisMissing, timeout: 120_000 }, () => {
  const { log, lines } = gatherLog();
  let redis: RedisService;
  let queue: Queue;
  let forger: BullQueue;
  let admin: Redis;
  let workers: QueueWorker[] = [];
  before(async () => {
    redis = await startRedis(['--appendonly', 'yes']);
    queue = await openQueue({ redisUrl: redis.url, log, lockMs: 1_000, stalledCheckMs: 300 });
    forger = new BullQueue('tadpole-sandbox', { connection: { url: redis.url } });
    admin = new Redis(redis.url);
  });
  afterEach(async () => {
    for (const worker of workers) await worker.close({ graceMs: 1_000 });
    workers = [];
    lines.length = 0;
    await admin.flushall();
  });
  after(async () => {
    await forger?.close();
    admin?.disconnect();
    await queue?.close();
    await redis?.stop();
  });

  const takeInto = async (taken: Set<string>) => {
    const handle = async ({ runId }: { readonly runId: string }) => void taken.add(runId);
    workers.push(await queue.work('sandbox', { concurrency: 4, handle }));
  };
  const until = async (condition: () => boolean | Promise<boolean>) => {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
  };

  it('are parked, each logged once without its content, while real ones flow', async () => {
    const taken = new Set<string>();
    for (const [i, data] of FORGED.entries()) {
      await forger.add('run', data, { jobId: `forged-${i}` });
      await queue.add('sandbox', { runId: `r_real${i}` }, { step: 'queued' });
    }
    await takeInto(taken);
    await until(() => taken.size === FORGED.length);
    await until(async () => (await queue.counts('sandbox')).parked === FORGED.length);
    assert.ok([...taken].every((runId) => runId.startsWith('r_real')));
    const parked = lines.filter(({ msg }) => msg === 'queue entry that cannot be read was parked');
    assert.equal(parked.length, FORGED.length);
    assert.doesNotMatch(JSON.stringify(lines), /passwd|DROP TABLE|smuggled/);
  });

  it('that are not even JSON are parked too', async () => {
    const taken = new Set<string>();
    await forger.add('run', {}, { jobId: 'broken' });
    await admin.hset('bull:tadpole-sandbox:broken', 'data', '{"v":1,"runId":');
    await queue.add('sandbox', { runId: 'r_real' }, { step: 'queued' });
    await takeInto(taken);
    await until(async () => (await queue.counts('sandbox')).parked === 1);
    await until(() => taken.has('r_real'));
  });

  it('without any content, or with options that are no JSON, do not stop real ones', async () => {
    const taken = new Set<string>();
    await admin.rpush('bull:tadpole-sandbox:wait', 'ghost-1', 'ghost-2');
    await forger.add('run', { v: 1, runId: 'r_badopts' }, { jobId: 'badopts' });
    await admin.hset('bull:tadpole-sandbox:badopts', 'opts', '{{{');
    await takeInto(taken);
    for (let i = 0; i < 20; i += 1) await queue.add('sandbox', { runId: `r_real${i}` }, { step: 'queued' });
    await until(() => taken.size >= 20);
  });

  it('leave the identity of a real entry free', async () => {
    const taken = new Set<string>();
    await forger.add('run', { v: 9 }, { jobId: 'r_wanted.queued' });
    await takeInto(taken);
    await until(async () => (await queue.counts('sandbox')).parked === 1);
    await until(async () => (await queue.counts('sandbox')).active === 0);
    await queue.add('sandbox', { runId: 'r_wanted' }, { step: 'queued' });
    await until(() => taken.has('r_wanted'));
  });

  it('cannot fill Redis: no more than a thousand are kept', async () => {
    const flood = Array.from({ length: 1_050 }, (_, i) => ({ name: 'run', data: { flood: i } }));
    await forger.addBulk(flood);
    await takeInto(new Set());
    await until(
      async () => (await queue.counts('sandbox')).waiting + (await queue.counts('sandbox')).active === 0,
    );
    const { parked } = await queue.counts('sandbox');
    // Those in hand at the same moment may pass the limit together.
    assert.ok(parked >= 1_000 && parked < 1_010, String(parked));
  });
});

describe('what the queue stores', { skip: redisMissing, timeout: 120_000 }, () => {
  it('is run ids, steps and fault codes: neither text nor secrets, even after failures', async () => {
    const redis = await startRedis(['--appendonly', 'yes']);
    const queue = await openQueue({ redisUrl: redis.url, log: gatherLog().log });
    const admin = new Redis(redis.url);
    try {
      const failed = Promise.withResolvers<void>();
      let tries = 0;
      const worker = await queue.work('sandbox', {
        concurrency: 1,
        handle: async () => {
          tries += 1;
          if (tries === 2) failed.resolve();
          const cause = new Error('cause with ghs_canary');
          throw fault('git_failed', {
            detail: 'https://x:ghs_canary@forge/',
            cause,
            retryAfterMs: tries === 1 ? 1 : 60_000,
          });
        },
      });
      await queue.add('sandbox', { runId: 'r_canary' }, { step: 'queued' });
      await failed.promise;
      await worker.close({ graceMs: 2_000 });
      const dump = await dumpAll(admin);
      assert.doesNotMatch(dump, /ghs_canary|cause with|forge\/|\.ts:/);
      assert.match(dump, /r_canary/);
      assert.match(dump, /git_failed/);
    } finally {
      admin.disconnect();
      await queue.close();
      await redis.stop();
    }
  });
});

/** Every key with its content, as text. */
async function dumpAll(redis: Redis): Promise<string> {
  const parts: unknown[] = [];
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key);
    if (type === 'hash') parts.push(key, await redis.hgetall(key));
    if (type === 'string') parts.push(key, await redis.get(key));
    if (type === 'list') parts.push(key, await redis.lrange(key, 0, -1));
    if (type === 'set') parts.push(key, await redis.smembers(key));
    if (type === 'zset') parts.push(key, await redis.zrange(key, '0', '-1'));
    if (type === 'stream') parts.push(key, await redis.xrange(key, '-', '+'));
  }
  return JSON.stringify(parts);
}
