import { Redis } from 'ioredis';
import { bounded } from './bounded.ts';

const NO_AOF =
  'Redis runs without append-only persistence (appendonly no): when it stops hard, entries queued since its last ' +
  'snapshot are lost, and their runs start late, when the sweep finds them. Set "appendonly yes".';
const EVICTS =
  'Redis may throw entries away when its memory is full (maxmemory-policy is not noeviction). ' +
  'Set "maxmemory-policy noeviction".';
const UNCHECKED =
  'Redis does not let this user read its settings (INFO, CONFIG), so append-only persistence and maxmemory-policy ' +
  'could not be checked. Make sure of "appendonly yes" and "maxmemory-policy noeviction".';

interface Settings {
  readonly appendOnly: boolean;
  readonly policy: string;
}

/** What an operator should know about a Redis. Fault `queue_unavailable` when it does not answer. */
export function readRedisWarnings(redisUrl: string): Promise<readonly string[]> {
  return withClient(redisUrl, async (client) => {
    const settings = await readSettings(client);
    return settings ? judge(settings) : [UNCHECKED];
  });
}

/** Whether our user may ask Redis about itself. Fault `queue_unavailable` when it does not answer. */
export function mayReadInfo(redisUrl: string): Promise<boolean> {
  return withClient(redisUrl, async (client) => (await allowed(client.info('server'))) !== null);
}

async function withClient<T>(redisUrl: string, ask: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(redisUrl, {
    lazyConnect: true,
    enableReadyCheck: false,
    connectTimeout: 3_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // Without a listener ioredis prints connection errors to the console; the command that failed tells of them.
  client.on('error', () => {});
  try {
    return await bounded(client.connect().then(() => ask(client)));
  } finally {
    client.disconnect();
  }
}

function judge({ appendOnly, policy }: Settings): readonly string[] {
  return [...(appendOnly ? [] : [NO_AOF]), ...(policy === 'noeviction' ? [] : [EVICTS])];
}

/** By INFO, else by CONFIG; null when this user may use neither. */
async function readSettings(client: Redis): Promise<Settings | null> {
  const info = await allowed(client.info());
  if (info !== null) {
    const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'unknown';
    return { appendOnly: /^aof_enabled:1/m.test(info), policy };
  }
  const appendOnly = await allowed(client.config('GET', 'appendonly'));
  const policy = await allowed(client.config('GET', 'maxmemory-policy'));
  if (appendOnly === null || policy === null) return null;
  return { appendOnly: settingIn(appendOnly) === 'yes', policy: settingIn(policy) };
}

function settingIn(answer: unknown): string {
  return Array.isArray(answer) ? String(answer[1]) : 'unknown';
}

async function allowed<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (err) {
    // The code is the first word of a reply of Redis, by its protocol.
    if (err instanceof Error && err.message.startsWith('NOPERM')) return null;
    throw err;
  }
}
