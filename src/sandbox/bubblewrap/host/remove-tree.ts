import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { promisify } from 'node:util';

const execFileAsync = promisify(execFile);
const OPTIONS = { env: { LANG: 'C' }, maxBuffer: 1024 * 1024 };

/**
 * Removes a sandbox's folder with everything in it. By coreutils, not by node: `rm` and `chmod -R` walk with openat and
 * never follow a link, and manage trees that are deeper than the longest path. Nothing runs in the tree any more.
 */
export async function removeTree(folder: string): Promise<void> {
  const isGone = async () => (await lstat(folder).catch(() => null)) === null;
  if (await isGone()) return;
  const rm = () =>
    execFileAsync('/bin/rm', ['-rf', '--one-file-system', '--preserve-root', '--', folder], OPTIONS);
  await rm().catch(async () => {
    // Folders without permission bits stop everybody but root.
    await execFileAsync('/bin/chmod', ['-R', 'u+rwx', '--', folder], OPTIONS).catch(() => {});
    await rm();
  });
}
