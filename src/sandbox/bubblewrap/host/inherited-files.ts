import { readdirSync, readFileSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2000000;
/** Beyond this an inherited descriptor can't be covered with a table of reasonable size. */
export const MAX_COVERED_FD = 1023;

/**
 * File descriptors that this process was started with and would hand on to every child: node closes only those that are
 * its own. Whoever starts a sandbox covers them, or a stray log file or socket of a supervisor would be open inside.
 */
export function inheritedFiles(): number[] {
  const open = readdirSync('/proc/self/fdinfo').map(Number);
  return open.filter((fd) => {
    if (fd <= 2) return false;
    try {
      const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
      return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
    } catch {
      // The descriptor of the listing itself: gone by now.
      return false;
    }
  });
}
