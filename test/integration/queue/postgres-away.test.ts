import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openQueue } from '../../../src/queue/bullmq.ts';
import { gatherLog } from '../../fakes/log-lines.ts';
import { postgresMissing, startPostgres } from '../../services/postgres.ts';
import { freePort } from '../../services/process.ts';

const IN_TIME_MS = 6_000;

describe('src/queue/bullmq.ts while PostgreSQL is away', { skip: postgresMissing, timeout: 120_000 }, () => {
  it('refuses to open where nothing answers', async () => {
    const databaseUrl = `postgresql://x@127.0.0.1:${await freePort()}/x`;
    await assert.rejects(openQueue({ databaseUrl, log: gatherLog().log }), { code: 'queue_unavailable' });
  });

  it('fails in time, keeps what it answered for, and goes on by itself when it is back', {
    skip: 'hung once under load after PostgreSQL came back: cause not found yet',
  }, async () => {
    const postgres = await startPostgres();
    const queue = await openQueue({ databaseUrl: postgres.url, log: gatherLog().log });
    const add = (runId: string) => queue.add('sandbox', { runId }, { step: 'queued' });
    const taken = new Map<string, PromiseWithResolvers<void>>();
    for (const runId of ['r_before', 'r_kept', 'r_after']) taken.set(runId, Promise.withResolvers());
    try {
      const worker = await queue.work('sandbox', {
        concurrency: 1,
        handle: async ({ runId }) => taken.get(runId)?.resolve(),
      });
      await add('r_before');
      await taken.get('r_before')?.promise;
      await queue.add('sandbox', { runId: 'r_kept' }, { step: 'queued', delayMs: 3_000 });
      await postgres.kill();
      const begun = performance.now();
      await assert.rejects(add('r_lost'), { code: 'queue_unavailable', retryable: true });
      assert.ok(performance.now() - begun < IN_TIME_MS);
      await postgres.start();
      await add('r_after');
      await Promise.all([taken.get('r_after')?.promise, taken.get('r_kept')?.promise]);
      await worker.close({ graceMs: 5_000 });
    } finally {
      await queue.close();
      await postgres.stop();
    }
  });
});
