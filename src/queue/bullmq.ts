import { fault } from '../errors.ts';
import type { Log } from '../log.ts';
import { bounded, settles } from './bounded.ts';
import { type Entries, postgresWiring, redisWiring, type Wiring } from './connections.ts';
import { entryId, toEntry } from './entry.ts';
import { createOutageLog, type OutageLog } from './outage-log.ts';
import { countParked } from './parking.ts';
import { mayReadInfo, readRedisWarnings } from './redis-settings.ts';
import { type StallOptions, startTaking } from './take.ts';
import type { Queue, Side } from './types.ts';

export interface QueueSettings extends Partial<StallOptions> {
  /** Redis, when given (`redis://`, `rediss://`, with user and password). */
  readonly redisUrl?: string | undefined;
  /** PostgreSQL connection string, of a real one or of the embedded; used without `redisUrl`. */
  readonly databaseUrl?: string | undefined;
  readonly log: Log;
}

const SIDES = ['forge', 'sandbox'] as const satisfies readonly Side[];
const LOCK_MS = 30_000;
const STALLED_CHECK_MS = 10_000;
const CLOSE_MS = 3_000;
/** How often a run is tried is decided by the store; the queue brings an entry back as long as it is told to. */
const ATTEMPTS = 1_000_000;

interface Channel {
  readonly name: string;
  readonly waiting: Entries;
  readonly parked: Entries;
}

/** Opens the queue and checks that it answers. Faults: `queue_unavailable`; `config_invalid` without any address. */
export async function openQueue(settings: QueueSettings): Promise<Queue> {
  const { log, lockMs = LOCK_MS, stalledCheckMs = STALLED_CHECK_MS } = settings;
  const wiring = await chooseWiring(settings);
  const outage = createOutageLog(log);
  const channels = new Map<Side, Channel>();
  const close = () => closeAll([...channels.values()]);
  try {
    // One after the other: the first makes the schema that the others use.
    for (const side of SIDES) channels.set(side, await openChannel(side, wiring, outage));
  } catch (err) {
    await close();
    throw err;
  }
  const channelOf = (side: Side): Channel => {
    const channel = channels.get(side);
    if (!channel) throw fault('internal', { detail: `no queue for the side ${side}` });
    return channel;
  };
  return {
    async add(side, entry, options) {
      await add(channelOf(side).waiting, { runId: entry.runId, ...options });
      outage.worked();
    },
    work: (side, options) => {
      const { name, parked } = channelOf(side);
      return startTaking({ ...options, wiring, name, parked, outage, log, lockMs, stalledCheckMs });
    },
    counts: (side) => bounded(count(channelOf(side))),
    warnings: async () => (settings.redisUrl ? readRedisWarnings(settings.redisUrl) : []),
    ping: async () => void (await bounded(channelOf('forge').waiting.getJobCounts('waiting'))),
    close,
  };
}

async function chooseWiring({ redisUrl, databaseUrl }: QueueSettings): Promise<Wiring> {
  if (redisUrl) return redisWiring({ redisUrl, mayReadInfo: await mayReadInfo(redisUrl) });
  if (databaseUrl) return postgresWiring(databaseUrl);
  throw fault('config_invalid', { detail: 'the queue needs a Redis or a PostgreSQL address' });
}

async function openChannel(side: Side, wiring: Wiring, outage: OutageLog): Promise<Channel> {
  const name = `tadpole-${side}`;
  const waiting = await openEntries(name, wiring, outage);
  try {
    return { name, waiting, parked: await openEntries(`${name}-parked`, wiring, outage) };
  } catch (err) {
    await closeEntries(waiting);
    throw err;
  }
}

async function openEntries(name: string, wiring: Wiring, outage: OutageLog): Promise<Entries> {
  const entries = wiring.entries(name);
  entries.on('error', (err) => outage.failed(err));
  try {
    await bounded(entries.waitUntilReady(), wiring.readyMs);
    return entries;
  } catch (err) {
    await closeEntries(entries);
    throw err;
  }
}

/** Kept neither on success nor on failure: an old entry under the same identity would swallow a new one (case C04). */
async function add(
  entries: Entries,
  request: { readonly runId: string; readonly step: string; readonly delayMs?: number },
): Promise<void> {
  const entry = toEntry(request.runId);
  const options = {
    jobId: entryId(request.runId, request.step),
    attempts: ATTEMPTS,
    backoff: { type: 'custom' },
    removeOnComplete: true,
    removeOnFail: true,
    stackTraceLimit: 0,
    ...(request.delayMs !== undefined && { delay: request.delayMs }),
  };
  await bounded(entries.add('run', entry, options));
}

async function count({ waiting, parked }: Channel) {
  const { active = 0, ...others } = await waiting.getJobCounts('active', 'waiting', 'delayed', 'prioritized');
  const sum = Object.values(others).reduce((total, n) => total + n, 0);
  return { waiting: sum, active, parked: await countParked(parked) };
}

async function closeAll(channels: readonly Channel[]): Promise<void> {
  const all = channels.flatMap(({ waiting, parked }) => [waiting, parked]);
  await Promise.all(all.map(closeEntries));
}

async function closeEntries(entries: Entries): Promise<void> {
  if (await settles(entries.close(), CLOSE_MS)) return;
  await settles(entries.disconnect(), CLOSE_MS);
}
