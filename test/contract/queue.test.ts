import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { openQueue } from '../../src/queue/bullmq.ts';
import { startEmbedded } from '../../src/store/embedded.ts';
import { postgresMissing, startPostgres } from '../services/postgres.ts';
import { redisMissing, startRedis } from '../services/redis.ts';
import { describeQueue, type QueueUnderTest } from './queue-suite.ts';

const log = pino({ level: 'silent' });

async function openTwo(
  address: { readonly redisUrl: string } | { readonly databaseUrl: string },
  stop: () => Promise<void>,
): Promise<QueueUnderTest> {
  const [queue, other] = await Promise.all([1, 2].map(() => openQueue({ ...address, log })));
  if (!queue || !other) throw new Error('no queues');
  const close = async () => {
    await Promise.all([queue.close(), other.close()]);
    await stop();
  };
  return { queue, other, close };
}

describeQueue(
  'Redis',
  async () => {
    const redis = await startRedis(['--appendonly', 'yes']);
    return openTwo({ redisUrl: redis.url }, redis.stop);
  },
  redisMissing,
);

describeQueue(
  'PostgreSQL',
  async () => {
    const postgres = await startPostgres();
    return openTwo({ databaseUrl: postgres.url }, postgres.stop);
  },
  postgresMissing,
);

describeQueue(
  'the embedded database',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tadpole-queue-'));
    const embedded = await startEmbedded({ dataDir, log });
    return openTwo({ databaseUrl: embedded.connectionString }, async () => {
      await embedded.close();
      await rm(dataDir, { recursive: true });
    });
  },
  false,
);
