import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startEmbedded } from '../../src/store/embedded.ts';
import { openStore } from '../../src/store/postgres-store.ts';
import { postgresMissing, startPostgres } from '../services/postgres.ts';
import { describeStoreLeases } from './store-leases.ts';
import { describeStore, type StoreUnderTest } from './store-suite.ts';

const log = pino({ level: 'silent' });

/** Two stores that start at the same moment, as two processes do. */
async function openTwo(databaseUrl: string, stop: () => Promise<void>): Promise<StoreUnderTest> {
  const [store, other] = await Promise.all([1, 2].map(() => openStore({ databaseUrl, log })));
  if (!store || !other) throw new Error('no stores');
  const close = async () => {
    await Promise.all([store.close(), other.close()]);
    await stop();
  };
  return { store, other, close };
}

async function openEmbedded(): Promise<StoreUnderTest> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tadpole-store-'));
  const embedded = await startEmbedded({ dataDir, log });
  return openTwo(embedded.connectionString, async () => {
    await embedded.close();
    await rm(dataDir, { recursive: true });
  });
}

async function openPostgres(): Promise<StoreUnderTest> {
  const postgres = await startPostgres();
  return openTwo(postgres.url, postgres.stop);
}

for (const describeSuite of [describeStore, describeStoreLeases]) {
  describeSuite('the embedded database', openEmbedded, false);
  describeSuite('PostgreSQL', openPostgres, postgresMissing);
}
