import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { Client, Pool } from 'pg';
import { pino } from 'pino';
import { type Embedded, startEmbedded } from '../../../src/store/embedded.ts';
import { openStore } from '../../../src/store/postgres-store.ts';

const log = pino({ level: 'silent' });
const PROGRAM = join(import.meta.dirname, 'embedded-process.ts');

describe('src/store/embedded.ts', { timeout: 180_000 }, () => {
  const folders: string[] = [];
  const newFolder = async (name = 'tadpole-embedded-') => {
    const folder = await mkdtemp(join(tmpdir(), name));
    folders.push(folder);
    return folder;
  };
  after(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  const start = async (t: TestContext, dataDir: string) => {
    const embedded = await startEmbedded({ dataDir, log });
    t.after(() => embedded.close());
    return embedded;
  };

  it('keeps whatever was answered for when its process is killed, twice over', async (t) => {
    const dataDir = await newFolder();
    const stored: string[] = [];
    for (let round = 1; round <= 2; round += 1) {
      stored.push(...(await runUntil(spawn(process.execPath, [PROGRAM, dataDir]), 20)));
    }
    const embedded = await start(t, dataDir);
    const store = await openStore({ databaseUrl: embedded.connectionString, log });
    const kept = new Set((await store.listRuns({ limit: 10_000 })).map(({ id }) => id));
    assert.ok(stored.length >= 40);
    assert.deepEqual(
      stored.filter((id) => !kept.has(id)),
      [],
    );
    await store.close();
  });

  it('waits for the disk at each commit', {
    skip: process.platform !== 'linux' && 'needs /proc',
  }, async (t) => {
    const dataDir = await newFolder();
    const embedded = await start(t, dataDir);
    const client = new Client({ connectionString: embedded.connectionString });
    await client.connect();
    await client.query('CREATE TABLE t (n integer)');
    const { rows } = await client.query(
      `SELECT current_setting('fsync') f, current_setting('synchronous_commit') s`,
    );
    assert.deepEqual(rows, [{ f: 'on', s: 'on' }]);
    assert.ok(await opensForSyncedWriting(join(dataDir, 'db', 'pg', 'pg_wal')));
    await client.end();
  });

  it('refuses a folder that another database of a live process uses, and frees it when it closes', async (t) => {
    const dataDir = await newFolder();
    const first = await start(t, dataDir);
    assert.equal((await stat(join(dataDir, 'db'))).mode & 0o777, 0o700, 'nobody else may enter');
    await assert.rejects(
      startEmbedded({ dataDir, log }),
      (err: Error & { code?: string; retryable?: boolean }) => {
        assert.equal(err.code, 'store_unavailable');
        assert.equal(err.retryable, false);
        assert.match(err.message, new RegExp(`in use by process ${process.pid}`));
        return true;
      },
    );
    await first.close();
    await (await startEmbedded({ dataDir, log })).close();
    assert.deepEqual(await readdir(join(dataDir, 'db')), ['pg']);
  });

  it('works in a folder whose path is too long for a socket address', async (t) => {
    const dataDir = await newFolder(`tadpole-${'long-'.repeat(25)}`);
    const embedded = await start(t, dataDir);
    const client = new Client({ connectionString: embedded.connectionString });
    await client.connect();
    assert.deepEqual((await client.query('SELECT 1 AS one')).rows, [{ one: 1 }]);
    await client.end();
  });

  describe('with many clients', () => {
    let embedded: Embedded;
    before(async () => {
      embedded = await startEmbedded({ dataDir: await newFolder(), log });
    });
    after(() => embedded?.close());
    const connect = async () => {
      const client = new Client({ connectionString: embedded.connectionString });
      await client.connect();
      return client;
    };

    it('never mixes up their statements, errors and transactions', async () => {
      const pool = new Pool({ connectionString: embedded.connectionString, max: 8 });
      await pool.query('CREATE TABLE mixed (id integer PRIMARY KEY, v text)');
      await pool.query(`INSERT INTO mixed VALUES (1, 'taken')`);
      const jobs = Array.from({ length: 200 }, async (_, i) => {
        if (i % 4 === 0) {
          await assert.rejects(pool.query('INSERT INTO mixed VALUES ($1, $2)', [1, 'x']), { code: '23505' });
        } else if (i % 4 === 1) {
          await inTransaction(pool, i);
        } else {
          const { rows } = await pool.query(`SELECT $1::integer AS n, ${i} AS m`, [i]);
          assert.deepEqual(rows, [{ n: i, m: i }]);
        }
      });
      await Promise.all(jobs);
      await pool.end();
    });

    it('rolls back what a client left half done, and goes on with the others', async () => {
      const [leaver, other] = await Promise.all([connect(), connect()]);
      await leaver.query('CREATE TABLE half (n integer)');
      await leaver.query('BEGIN');
      await leaver.query('INSERT INTO half VALUES (1)');
      const waiting = other.query('SELECT count(*)::integer AS n FROM half');
      leaver.on('error', () => {});
      Object(leaver).connection.stream.destroy();
      assert.deepEqual((await waiting).rows, [{ n: 0 }]);
      await other.end();
    });

    it('tells those that listen what others notify', async () => {
      const [listener, other] = await Promise.all([connect(), connect()]);
      await listener.query('LISTEN frogs');
      const heard = once(listener, 'notification');
      await other.query(`SELECT pg_notify('frogs', 'croak')`);
      const [{ channel, payload }] = await heard;
      assert.deepEqual([channel, payload], ['frogs', 'croak']);
      await Promise.all([listener.end(), other.end()]);
    });

    it('drops a client that speaks something else, and no other', async () => {
      const path = join(new URL(embedded.connectionString).searchParams.get('host') ?? '', '.s.PGSQL.5432');
      for (const bytes of [
        'GET / HTTP/1.1\r\n\r\n',
        '\xff'.repeat(64),
        '\0\0\0\x10\x04\xd2\x16\x2e\0\0\0\0\0\0\0\0',
      ]) {
        const stranger = createConnection(path);
        const closed = once(stranger, 'close');
        stranger.write(Buffer.from(bytes, 'latin1'));
        await closed;
      }
      const client = await connect();
      assert.deepEqual((await client.query('SELECT 1 AS one')).rows, [{ one: 1 }]);
      await client.end();
    });
  });
});

async function inTransaction(pool: Pool, i: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('INSERT INTO mixed VALUES ($1, $2)', [1_000 + i, `v${i}`]);
    const { rows } = await client.query('SELECT v FROM mixed WHERE id = $1', [1_000 + i]);
    assert.deepEqual(rows, [{ v: `v${i}` }]);
    await client.query('COMMIT');
  } finally {
    client.release();
  }
}

/** Lines that a process wrote until there were so many, and until the SIGKILL hit it. */
async function runUntil(child: ChildProcess, lines: number): Promise<string[]> {
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
    if (output.split('\n').length > lines) child.kill('SIGKILL');
  });
  child.stderr?.pipe(process.stderr);
  await once(child, 'close');
  process.off('exit', kill);
  return output.split('\n').slice(0, -1);
}

/** Whether this process has a file of the folder open with O_DSYNC. */
async function opensForSyncedWriting(folder: string): Promise<boolean> {
  const O_DSYNC = 0o10000;
  for (const fd of await readdir('/proc/self/fd')) {
    const target = await readlink(`/proc/self/fd/${fd}`).catch(() => '');
    if (!target.startsWith(folder)) continue;
    const flags = /^flags:\s+(\d+)/m.exec(await readFile(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0';
    if (Number.parseInt(flags, 8) & O_DSYNC) return true;
  }
  return false;
}
