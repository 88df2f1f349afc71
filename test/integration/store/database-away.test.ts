import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { openStore } from '../../../src/store/postgres-store.ts';
import type { Store } from '../../../src/store/types.ts';
import { gatherLog } from '../../fakes/log-lines.ts';
import { labelTrigger } from '../../fixtures/triggers.ts';
import { type PostgresService, postgresMissing, startPostgres } from '../../services/postgres.ts';
import { freePort } from '../../services/process.ts';

/** The port's promise is 5 s; the rest is for a busy machine. */
const IN_TIME_MS = 7_000;

async function failsInTime(operation: () => Promise<unknown>): Promise<void> {
  const begun = performance.now();
  await assert.rejects(operation, { code: 'store_unavailable' });
  assert.ok(performance.now() - begun < IN_TIME_MS);
}

describe('src/store/postgres-store.ts while PostgreSQL is away', {
  skip: postgresMissing,
  timeout: 120_000,
}, () => {
  const { log } = gatherLog();
  let postgres: PostgresService;
  let store: Store;
  before(async () => {
    postgres = await startPostgres();
    store = await openStore({ databaseUrl: postgres.url, log });
  });
  afterEach(() => postgres.resume());
  after(async () => {
    await store?.close();
    await postgres?.stop();
  });

  it('fails in time while it is stopped, keeps what it answered for, and works when it is back', async () => {
    const { run } = await store.acceptLabel(labelTrigger());
    await postgres.kill();
    await failsInTime(() => store.acceptLabel(labelTrigger()));
    await failsInTime(() => store.ping());
    await postgres.start();
    await store.ping();
    assert.equal((await store.readRun(run?.id ?? ''))?.id, run?.id);
  });

  it('fails in time while another transaction holds a lock', async () => {
    const { Client } = await import('pg');
    const other = new Client({ connectionString: postgres.url });
    await other.connect();
    await other.query('BEGIN');
    await other.query('LOCK TABLE tadpole.runs IN ACCESS EXCLUSIVE MODE');
    await failsInTime(() => store.listRuns({ limit: 1 }));
    await other.query('ROLLBACK');
    await other.end();
    await store.listRuns({ limit: 1 });
  });

  it('refuses to open where nothing answers, or where it may not enter', async () => {
    const port = await freePort();
    await failsInTime(() => openStore({ databaseUrl: `postgresql://x@127.0.0.1:${port}/x`, log }));
    await failsInTime(() => openStore({ databaseUrl: 'postgresql://x@no-such-host.invalid/x', log }));
    const stranger = postgres.url.replace('tadpole@', 'stranger@');
    await assert.rejects(openStore({ databaseUrl: stranger, log }), {
      code: 'store_unavailable',
      retryable: false,
    });
  });
});

describe('src/store/postgres-store.ts on a server that hangs', {
  skip: postgresMissing,
  timeout: 120_000,
}, () => {
  it('fails in time, and does not use the connections again that got no answer', async () => {
    const { proxy, close } = await startSwallowingProxy();
    const postgres = await startPostgres();
    const through = await proxy(postgres.port);
    const url = `postgresql://tadpole@127.0.0.1:${through.port}/postgres`;
    const store = await openStore({ databaseUrl: url, log: gatherLog().log, maxConnections: 2 });
    try {
      await Promise.all([store.ping(), store.ping()]);
      through.swallow();
      await Promise.all([failsInTime(() => store.ping()), failsInTime(() => store.ping())]);
      // What was open stays dead, as behind a broken network; only new connections get through.
      through.letNewOnesPass();
      await store.ping();
    } finally {
      through.letNewOnesPass();
      await store.close();
      await close();
      await postgres.stop();
    }
  });
});

/** A TCP proxy whose open connections can be made to swallow everything, in both directions. */
async function startSwallowingProxy() {
  const { createServer, connect } = await import('node:net');
  const closers: (() => void)[] = [];
  const proxy = async (target: number) => {
    let pass = true;
    let dead: Set<object> = new Set();
    const open = new Set<object>();
    const server = createServer((client) => {
      const upstream = connect(target, '127.0.0.1');
      const pair = {};
      open.add(pair);
      const forward = (from: typeof client, to: typeof client) => {
        from.on('data', (chunk) => pass && !dead.has(pair) && to.write(chunk));
        from.on('error', () => to.destroy());
        from.on('close', () => to.destroy());
      };
      forward(client, upstream);
      forward(upstream, client);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => server.close());
    const address = server.address();
    return {
      port: address && typeof address === 'object' ? address.port : 0,
      swallow: () => {
        pass = false;
        dead = new Set(open);
      },
      letNewOnesPass: () => {
        pass = true;
      },
    };
  };
  return { proxy, close: async () => closers.forEach((close) => void close()) };
}
