/** The composition root: makes the parts from the configuration and wires them. The only place that knows them all. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config.ts';
import type { Log } from './log.ts';
import { openQueue } from './queue/bullmq.ts';
import type { Queue } from './queue/types.ts';
import type { Secrets } from './secrets.ts';
import { createArtifacts, type FolderArtifacts } from './store/artifacts.ts';
import { startEmbedded } from './store/embedded.ts';
import { openStore } from './store/postgres-store.ts';
import type { Store } from './store/types.ts';

/** What both sides share, open. */
export interface Base {
  readonly config: Config;
  readonly log: Log;
  readonly secrets: Secrets;
  readonly store: Store;
  readonly queue: Queue;
  readonly artifacts: FolderArtifacts;
  readonly ca: string | null;
  /** Names this process in leases. */
  readonly owner: string;
  close(): Promise<void>;
}

/** Something started that ends in its own time. */
export interface Started {
  close(): Promise<void>;
}

/** Opens store, queue and artifacts; embedded where no address is configured. */
export async function openBase(
  config: Config,
  { log, secrets, owner }: Pick<Base, 'log' | 'secrets' | 'owner'>,
): Promise<Base> {
  for (const warning of config.warnings) log.warn({ warning }, 'configuration warning');
  const { dataFolder, redisUrl } = config;
  await mkdir(join(dataFolder, 'tmp'), { recursive: true });
  const embedded = config.databaseUrl === null ? await startEmbedded({ dataDir: dataFolder, log }) : null;
  const databaseUrl = config.databaseUrl ?? embedded?.connectionString ?? '';
  const store = await openStore({ databaseUrl, log });
  const queue = await openQueue({ ...(redisUrl === null ? {} : { redisUrl }), databaseUrl, log });
  for (const warning of await queue.warnings()) log.warn({ warning }, 'queue warning');
  const ca = config.caFile === null ? null : await readFile(config.caFile, 'utf8');
  const artifacts = createArtifacts({ dir: join(dataFolder, 'artifacts') });
  const close = async () => {
    await queue.close();
    await store.close();
    await embedded?.close();
  };
  return { config, log, secrets, store, queue, artifacts, ca, owner, close };
}
