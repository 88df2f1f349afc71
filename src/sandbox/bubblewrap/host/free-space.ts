import { statfs } from 'node:fs/promises';
import { type Fault, fault } from '../../../errors.ts';

const INTERVAL_MS = 500;

/**
 * Looks at the disk of the sandboxes while a call runs. There is no quota for the sum of a sandbox's files, so a program
 * that fills the disk is ended before the machine suffers. Returns the function that ends the watch.
 */
export function watchFreeSpace(
  { stateDir, minFreeBytes }: { readonly stateDir: string; readonly minFreeBytes: number },
  onLow: (reason: Fault) => void,
): () => void {
  const look = async () => {
    const { bavail, bsize } = await statfs(stateDir);
    if (bavail * bsize >= minFreeBytes) return;
    onLow(
      fault('sandbox_lost', {
        detail: `the disk of ${stateDir} has less than ${minFreeBytes} bytes left: free some, or lower minFreeBytes`,
        publicDetail: 'the disk of the sandboxes was nearly full',
        retryable: false,
      }),
    );
  };
  const timer = setInterval(() => void look().catch(() => {}), INTERVAL_MS);
  return () => clearInterval(timer);
}
