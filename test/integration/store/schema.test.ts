import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { pino } from 'pino';
import { startEmbedded } from '../../../src/store/embedded.ts';
import { openStore } from '../../../src/store/postgres-store.ts';
import { labelTrigger } from '../../fixtures/triggers.ts';
import { postgresMissing, startPostgres } from '../../services/postgres.ts';

const log = pino({ level: 'silent' });

interface Running {
  readonly url: string;
  stop(): Promise<void>;
}

async function startOwnEmbedded(): Promise<Running> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tadpole-schema-'));
  const embedded = await startEmbedded({ dataDir, log });
  const stop = async () => {
    await embedded.close();
    await rm(dataDir, { recursive: true });
  };
  return { url: embedded.connectionString, stop };
}

for (const [name, start, skip] of [
  ['the embedded database', startOwnEmbedded, false],
  ['PostgreSQL', startPostgres, postgresMissing],
] as const) {
  describe(`src/store/migrations on ${name}`, { skip, timeout: 120_000 }, () => {
    let database: Running;
    let client: Client;
    before(async () => {
      database = await start();
      client = new Client({ connectionString: database.url });
      await client.connect();
    });
    after(async () => {
      await client?.end();
      await database?.stop();
    });
    const open = () => openStore({ databaseUrl: database.url, log });

    it('run once when eight start at the same moment, and not again', async () => {
      const stores = await Promise.all(Array.from({ length: 8 }, open));
      for (const store of stores) await store.close();
      await (await open()).close();
      const { rows } = await client.query('SELECT name FROM tadpole.kysely_migration');
      assert.deepEqual(rows, [{ name: '0001-runs' }]);
    });

    it('refuse to change, delete or empty events', async () => {
      const store = await open();
      const { run } = await store.acceptLabel(labelTrigger());
      await store.takeLease(run?.id ?? '', { owner: 'w', ttlMs: 1_000 });
      for (const statement of [
        `UPDATE tadpole.events SET kind = 'ended'`,
        'DELETE FROM tadpole.events',
        'TRUNCATE tadpole.events',
      ]) {
        await assert.rejects(client.query(statement), /append-only/);
      }
      assert.equal((await store.readEvents(run?.id ?? '', 0)).length, 1);
      await store.close();
    });

    it('refuse a schema from a newer Tadpole', async () => {
      await client.query(`INSERT INTO tadpole.kysely_migration VALUES ('9999-future', 'now')`);
      await assert.rejects(open(), { code: 'store_unavailable', retryable: false });
    });
  });
}
