/** A worker of its own that takes one entry and never ends it; it is killed from outside. */
import { pino } from 'pino';
import { openQueue } from '../../../src/queue/bullmq.ts';

const address = process.argv[2] ?? '';
const log = pino({ level: 'silent' });
const queue = await openQueue({
  ...(address.startsWith('redis:') ? { redisUrl: address } : { databaseUrl: address }),
  log,
  lockMs: 1_000,
  stalledCheckMs: 300,
});
await queue.work('sandbox', {
  concurrency: 1,
  async handle({ runId }) {
    process.stdout.write(`${runId}\n`);
    await new Promise(() => {});
  },
});
