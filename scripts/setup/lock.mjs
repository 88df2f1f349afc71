import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_AGAIN_MS = 200;

/**
 * Runs `body` while no other process of this machine does so with the same file. A lock whose owner is dead is taken over.
 * `onWait` is called once with the owner's process id when there is one to wait for.
 */
export async function withLock(file, onWait, body) {
  mkdirSync(dirname(file), { recursive: true });
  let told = false;
  while (!tryTake(file)) {
    const owner = readOwner(file);
    if (owner === null || isAlive(owner)) {
      if (!told && owner !== null) onWait(owner);
      told ||= owner !== null;
      await pause(LOOK_AGAIN_MS);
    } else removeStale(file, owner);
  }
  try {
    return await body();
  } finally {
    rmSync(file, { force: true });
  }
}

function tryTake(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** The owner's process id; null when the lock went away or was only just made. */
function readOwner(file) {
  try {
    return Number(readFileSync(file, 'utf8')) || null;
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

/** Renamed first: of two that see the same dead owner one gets the file, and neither removes the other's fresh lock unseen. */
function removeStale(file, owner) {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    if (readOwner(aside) === owner) rmSync(aside);
    else renameSync(aside, file);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}
