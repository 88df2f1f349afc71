import {
  type ConnectionOptions,
  createPostgresBackend,
  type Job,
  type PostgresConnectionOptions,
  type PostgresQueueBackend,
  Queue,
  type RedisOptions,
  type RedisQueueBackend,
  type Worker,
  type WorkerOptions,
} from 'bullmq';
import { TolerantWorker } from './tolerant-worker.ts';

/** What is used of BullMQ's Queue; the same on every backend. */
export type Entries = Pick<Queue, 'add' | 'getJobCounts' | 'waitUntilReady' | 'close' | 'disconnect'> & {
  on(event: 'error', listener: (err: Error) => void): unknown;
};

/** What is used of BullMQ's Worker. */
export type Taker = Pick<Worker, 'waitUntilReady' | 'close' | 'disconnect'> & {
  on(event: 'error', listener: (err: Error) => void): unknown;
  on(event: 'stalled', listener: (jobId: string) => void): unknown;
};

export type TakenJob = Pick<Job<unknown>, 'id' | 'name' | 'data'>;
export type Processor = (job: TakenJob) => Promise<void>;
export type TakerOptions = Omit<WorkerOptions, 'connection'>;

/** How entries are stored: one of BullMQ's backends with its connection. */
export interface Wiring {
  readonly kind: 'redis' | 'postgres';
  /** Time to become ready, in milliseconds: PostgreSQL makes or changes its tables first. */
  readonly readyMs: number;
  entries(name: string): Entries;
  taker(name: string, processor: Processor, options: TakerOptions): Taker;
}

const CONNECT_MS = 3_000;
const COMMAND_MS = 3_500;
/** Finished and failed entries leave no events worth keeping. */
const SHARED = { streams: { events: { maxLen: 100 } } };

/**
 * Redis. Producers fail at once while the connection is down instead of piling up what may be sent some day; workers
 * wait for it. BullMQ's version check is off, and so is the wait for a Redis that still loads its data when `mayReadInfo` is
 * false: both need a right that a restricted user lacks.
 */
export function redisWiring({ redisUrl, mayReadInfo }: { redisUrl: string; mayReadInfo: boolean }): Wiring {
  const connection: RedisOptions = {
    url: redisUrl,
    skipVersionCheck: true,
    enableReadyCheck: mayReadInfo,
    connectTimeout: CONNECT_MS,
    retryStrategy: (times) => Math.min(100 * 2 ** times, 2_000),
  };
  const producer = { ...connection, enableOfflineQueue: false, commandTimeout: COMMAND_MS };
  const consumer = { ...connection, maxRetriesPerRequest: null };
  return {
    kind: 'redis',
    readyMs: COMMAND_MS,
    entries: (name) => new Queue(name, { ...SHARED, connection: producer }),
    taker: (name, processor, options) =>
      new TolerantWorker<RedisQueueBackend, ConnectionOptions>(name, processor, {
        ...options,
        connection: consumer,
      }),
  };
}

/** PostgreSQL, real or embedded: BullMQ's own backend, in its own schema `bullmq`, which it makes itself. */
export function postgresWiring(databaseUrl: string): Wiring {
  const connection = {
    connectionString: databaseUrl,
    application_name: 'tadpole queue',
    migrate: true,
    max: 2,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: COMMAND_MS,
    keepAlive: true,
  };
  return {
    kind: 'postgres',
    readyMs: 20_000,
    entries: (name) => new Queue(name, { ...SHARED, connection }, createPostgresBackend),
    taker: (name, processor, options) =>
      new TolerantWorker<PostgresQueueBackend, PostgresConnectionOptions>(
        name,
        processor,
        { ...options, connection },
        createPostgresBackend,
      ),
  };
}
