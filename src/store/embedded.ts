import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { fault } from '../errors.ts';
import type { Log } from '../log.ts';
import { serveEmbedded } from './embedded-server.ts';
import { lockFolder } from './folder-lock.ts';

const SOCKET = '.s.PGSQL.5432';
/** Unix socket addresses end at 108 bytes on Linux, 104 on macOS. */
const MAX_SOCKET_PATH = 100;

export interface Embedded {
  /** For `openStore` and `openQueue`: the socket lies in a folder that only our user may enter. */
  readonly connectionString: string;
  /** To be called after stores and queues are closed; safe twice. */
  close(): Promise<void>;
}

/**
 * Starts PostgreSQL inside this process (PGlite) on `<dataDir>/db`. What is committed survives the death of the process.
 * Fault `store_unavailable` when another process has the folder, or when its data can't be read.
 */
export async function startEmbedded({
  dataDir,
  log,
}: {
  readonly dataDir: string;
  readonly log: Log;
}): Promise<Embedded> {
  const folder = join(resolve(dataDir), 'db');
  await makePrivate(folder);
  const releasers = [await lockFolder(folder)];
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= releaseAll(releasers);
    return closing;
  };
  try {
    const db = await openDatabase(join(folder, 'pg'));
    releasers.push(() => db.close());
    const socket = await socketFolder(folder);
    releasers.push(socket.remove);
    const server = await serveEmbedded({ db, log, path: join(socket.path, SOCKET) });
    releasers.push(server.close);
    log.debug({ folder }, 'embedded database started');
    const host = encodeURIComponent(socket.path);
    return { connectionString: `postgresql://postgres@localhost/postgres?host=${host}`, close };
  } catch (err) {
    await close();
    throw err;
  }
}

/** Last opened, first closed. */
async function releaseAll(releasers: readonly (() => Promise<void>)[]): Promise<void> {
  for (const release of releasers.toReversed()) await release();
}

async function makePrivate(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  } catch (cause) {
    const detail = `the data folder ${folder} cannot be made or is not ours; choose another one`;
    throw fault('store_unavailable', { detail, cause, retryable: false });
  }
}

/**
 * PGlite starts without fsync. With it on, and with a write-ahead log that is opened for synchronous writing (the one way
 * of waiting for the disk that reaches the file system through Emscripten), a commit is on the disk when it is answered.
 */
async function openDatabase(path: string): Promise<PGlite> {
  const durable = ['-c', 'fsync=on', '-c', 'wal_sync_method=open_datasync'];
  try {
    return await PGlite.create({
      dataDir: path,
      relaxedDurability: false,
      startParams: [...PGlite.defaultStartParams, ...durable],
    });
  } catch (cause) {
    const detail = `the embedded database in ${path} does not start; restore the folder or move it away`;
    throw fault('store_unavailable', { detail, cause, retryable: false });
  }
}

/** The data folder itself, or a private temporary one where its path is too long for a socket address. */
async function socketFolder(folder: string) {
  if (Buffer.byteLength(join(folder, SOCKET)) <= MAX_SOCKET_PATH) {
    await rm(join(folder, SOCKET), { force: true });
    return { path: folder, remove: async () => {} };
  }
  const path = await mkdtemp(join(tmpdir(), 'tadpole-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
