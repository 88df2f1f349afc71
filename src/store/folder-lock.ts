import { link, open, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { fault } from '../errors.ts';

const Holder = z.object({ pid: z.number().int().positive(), born: z.string().nullable(), nonce: z.string() });
type Holder = z.infer<typeof Holder>;

const FILE = 'tadpole.lock';

/**
 * Makes this process the only user of a folder. The lock is a file that names the process and its moment of birth, so that
 * the lock of a killed process is known to be stale even when its number is in use again (in a container it always is).
 * Fault `store_unavailable` (not retryable) while another process holds it. Returns the release.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, FILE);
  const mine: Holder = { pid: process.pid, born: await readBirth(process.pid), nonce: crypto.randomUUID() };
  const draft = `${path}.${mine.nonce}`;
  await writeFile(draft, JSON.stringify(mine), { mode: 0o600 });
  try {
    if (!(await place(draft, path))) {
      await clearStale(path, mine);
      if (!(await place(draft, path))) throw held(folder, null);
    }
  } finally {
    await unlink(draft);
  }
  await syncFolder(folder);
  return async () => {
    if ((await readHolder(path))?.nonce === mine.nonce) await unlink(path);
  };
}

/** A hard link appears whole or not at all, and never over another. */
async function place(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (err) {
    if (hasCode(err, 'EEXIST')) return false;
    throw err;
  }
}

/** Takes a stale lock away by renaming it: of two processes that see it, only one gets it. */
async function clearStale(path: string, mine: Holder): Promise<void> {
  const holder = await readHolder(path);
  if (holder && (await isAlive(holder))) throw held(path, holder.pid);
  const aside = `${path}.stale.${mine.nonce}`;
  try {
    await rename(path, aside);
  } catch (err) {
    if (hasCode(err, 'ENOENT')) return;
    throw err;
  }
  const taken = await readHolder(aside);
  // Another process was faster, and what we took away is its fresh lock: give it back.
  if (taken?.nonce !== holder?.nonce) await place(aside, path);
  await unlink(aside);
}

async function readHolder(path: string): Promise<Holder | null> {
  try {
    return Holder.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}

async function isAlive({ pid, born }: Holder): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (err) {
    return hasCode(err, 'EPERM');
  }
  return (await readBirth(pid)) === born;
}

/** Boot and start tick of a process, null where /proc does not tell. */
async function readBirth(pid: number): Promise<string | null> {
  try {
    const [boot, stat] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readFile(`/proc/${pid}/stat`, 'utf8'),
    ]);
    // The command name, in brackets, may hold spaces; the start time is field 22, the 20th after it.
    return `${boot.trim()}/${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return null;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}

function held(path: string, pid: number | null) {
  const who = pid === null ? 'another process' : `process ${pid}`;
  return fault('store_unavailable', {
    detail: `${path} is in use by ${who}; give each process its own data folder, or set a database URL that they share`,
    retryable: false,
  });
}

function hasCode(err: unknown, code: string): boolean {
  return err instanceof Error && 'code' in err && err.code === code;
}
