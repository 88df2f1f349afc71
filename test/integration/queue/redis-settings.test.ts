import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { openQueue } from '../../../src/queue/bullmq.ts';
import { gatherLog } from '../../fakes/log-lines.ts';
import { redisMissing, startRedis } from '../../services/redis.ts';

async function warningsOf(args: readonly string[]): Promise<readonly string[]> {
  const redis = await startRedis(args);
  const queue = await openQueue({ redisUrl: redis.url, log: gatherLog().log });
  try {
    return await queue.warnings();
  } finally {
    await queue.close();
    await redis.stop();
  }
}

describe('src/queue/redis-settings.ts', { skip: redisMissing, timeout: 120_000 }, () => {
  it('is silent about append-only persistence without eviction', async () => {
    assert.deepEqual(await warningsOf(['--appendonly', 'yes']), []);
  });

  it('says what is lost without append-only persistence', async () => {
    const warnings = await warningsOf(['--appendonly', 'no']);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /entries queued since its last snapshot are lost.*appendonly yes/);
  });

  it('names a policy that throws entries away', async () => {
    const warnings = await warningsOf(['--appendonly', 'yes', '--maxmemory-policy', 'allkeys-lru']);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /maxmemory-policy noeviction/);
  });

  it('works as a restricted user, and says that it could not look', async () => {
    const redis = await startRedis(['--appendonly', 'no']);
    const admin = new Redis(redis.url);
    const rules = ['on', '>frogs-and-ponds', '~bull:*', '+@all', '-@dangerous', '-@admin'];
    await admin.call('ACL', 'SETUSER', 'tadpole', ...rules);
    const redisUrl = redis.url.replace('redis://', 'redis://tadpole:frogs-and-ponds@');
    const queue = await openQueue({ redisUrl, log: gatherLog().log });
    try {
      const taken = Promise.withResolvers<string>();
      const handle = async ({ runId }: { readonly runId: string }) => taken.resolve(runId);
      const worker = await queue.work('sandbox', { concurrency: 1, handle });
      await queue.add('sandbox', { runId: 'r_restricted' }, { step: 'queued' });
      assert.equal(await taken.promise, 'r_restricted');
      await worker.close({ graceMs: 1_000 });
      const warnings = await queue.warnings();
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? '', /could not be checked/);
    } finally {
      admin.disconnect();
      await queue.close();
      await redis.stop();
    }
  });
});
