import { readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../log.ts';
import { type LockOptions, tryLock } from './lock.ts';

const TRASH = 'trash-';

/** Bytes of all files below a folder; what vanishes meanwhile counts nothing. */
export async function folderBytes(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of names) {
    if (!entry.isFile()) continue;
    const facts = await stat(path.join(entry.parentPath, entry.name)).catch(() => null);
    bytes += facts?.size ?? 0;
  }
  return bytes;
}

/** Removes what a killed git left in a repository that nobody else uses: lock files and half-written packs. */
export async function dropLeftovers(repository: string): Promise<void> {
  const entries = await readdir(repository, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    if (!entry.name.endsWith('.lock') && !entry.name.startsWith('tmp_')) continue;
    await rm(path.join(entry.parentPath, entry.name), { force: true });
  }
}

/** Deletes a folder so that a death in the middle leaves no half repository under its name. */
export async function discard(place: string): Promise<void> {
  const trash = path.join(
    path.dirname(place),
    `${TRASH}${path.basename(place)}-${process.pid}-${Date.now()}`,
  );
  await rename(place, trash).catch(() => undefined);
  await rm(trash, { recursive: true, force: true });
}

/** Deletes the least recently used mirrors until all together are within the limit. One that is locked stays. */
export async function evict({
  folder,
  maxBytes,
  log,
  lock,
}: {
  readonly folder: string;
  readonly maxBytes: number;
  readonly log: Log;
  readonly lock: LockOptions;
}): Promise<void> {
  const mirrors = await listMirrors(folder);
  let total = mirrors.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { place, bytes } of mirrors) {
    if (total <= maxBytes) return;
    const unlock = await tryLock(place, lock);
    if (!unlock) continue;
    try {
      await discard(place);
      total -= bytes;
      log.info({ mirror: path.basename(place), bytes }, 'mirror evicted');
    } finally {
      await unlock();
    }
  }
}

/** Mirrors, least recently used first. Deletions that a killed process began are ended on the way. */
async function listMirrors(folder: string) {
  const found: { place: string; bytes: number; usedAt: number }[] = [];
  for (const name of await readdir(folder)) {
    const place = path.join(folder, name);
    if (name.startsWith(TRASH)) await rm(place, { recursive: true, force: true });
    if (!name.endsWith('.git')) continue;
    const facts = await stat(path.join(place, 'used')).catch(() => null);
    found.push({ place, bytes: await folderBytes(place), usedAt: facts?.mtimeMs ?? 0 });
  }
  return found.sort((a, b) => a.usedAt - b.usedAt);
}
