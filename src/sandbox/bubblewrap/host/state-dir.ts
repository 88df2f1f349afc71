import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fault } from '../../../errors.ts';

const MODE = 0o711;
const SEARCH_FOR_OTHERS = 0o001;
/** On disk and kept over a reboot, unlike /run and some /tmp. */
const FALLBACK_PARENT = '/var/tmp';

/** Can any user walk down to this folder? */
async function isOpenToOthers(path: string): Promise<boolean> {
  for (let folder = path; ; folder = dirname(folder)) {
    const { mode } = await stat(folder);
    if ((mode & SEARCH_FOR_OTHERS) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Makes a folder, or takes one that is ours alone to write in: in /var/tmp anybody may have made it before us. */
async function ensureOwnFolder(path: string, ownUid: number): Promise<void> {
  await mkdir(path, { recursive: true, mode: MODE });
  const found = await lstat(path);
  if (!found.isDirectory() || found.uid !== ownUid || (found.mode & 0o022) !== 0)
    throw fault('sandbox_unavailable', {
      detail: `${path} is not a folder that only this user may write in: remove it or set another state folder`,
    });
  await chmod(path, MODE);
}

/**
 * Makes the folder that holds the sandboxes, and says where it really is. Root's sandboxes run as another user
 * (host-user.ts), who could not walk through a closed folder such as /root: then a folder in /var/tmp takes its place,
 * the same at every start.
 */
export async function openStateDir(stateDir: string, ownUid: number): Promise<string> {
  await mkdir(stateDir, { recursive: true, mode: MODE });
  const real = await realpath(stateDir);
  if (ownUid !== 0) return real;
  await chmod(real, MODE);
  if (await isOpenToOthers(real)) return real;
  const mark = createHash('sha256').update(real).digest('hex').slice(0, 16);
  const fallback = join(FALLBACK_PARENT, `tadpole-sandboxes-${mark}`);
  await ensureOwnFolder(fallback, ownUid);
  return fallback;
}
