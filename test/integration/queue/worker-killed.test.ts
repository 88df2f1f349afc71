import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openQueue } from '../../../src/queue/bullmq.ts';
import { gatherLog } from '../../fakes/log-lines.ts';
import { postgresMissing, startPostgres } from '../../services/postgres.ts';
import { redisMissing, startRedis } from '../../services/redis.ts';

const PROGRAM = join(import.meta.dirname, 'worker-process.ts');
/** More often than BullMQ's own limit of one stall. */
const KILLS = 3;

/** Starts a worker, waits until it has an entry in hand, and kills it. */
async function takeAndDie(address: string): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, address], { stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const [chunk] = await once(child.stdout, 'data');
  kill();
  await once(child, 'close');
  process.off('exit', kill);
  return String(chunk).trim();
}

for (const [name, skip, start] of [
  ['Redis', redisMissing, startRedis],
  ['PostgreSQL', postgresMissing, startPostgres],
] as const) {
  describe(`src/queue/take.ts on ${name}`, { skip, timeout: 120_000 }, () => {
    it('gives the entry of a killed worker to the next, however often that happens', async () => {
      const service = await start();
      const settings = name === 'Redis' ? { redisUrl: service.url } : { databaseUrl: service.url };
      const queue = await openQueue({
        ...settings,
        log: gatherLog().log,
        lockMs: 1_000,
        stalledCheckMs: 300,
      });
      try {
        await queue.add('sandbox', { runId: 'r_stubborn' }, { step: 'queued' });
        for (let i = 0; i < KILLS; i += 1) assert.equal(await takeAndDie(service.url), 'r_stubborn');
        const taken = Promise.withResolvers<string>();
        const handle = async ({ runId }: { readonly runId: string }) => taken.resolve(runId);
        const worker = await queue.work('sandbox', { concurrency: 1, handle });
        assert.equal(await taken.promise, 'r_stubborn');
        await worker.close({ graceMs: 5_000 });
        assert.deepEqual(await queue.counts('sandbox'), { waiting: 0, active: 0, parked: 0 });
      } finally {
        await queue.close();
        await service.stop();
      }
    });
  });
}
