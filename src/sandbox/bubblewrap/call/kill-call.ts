import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';

const INFO_BYTES_MAX = 4096;
/** When killing the namespaces' first process did not end bwrap, bwrap itself is killed. */
const FALLBACK_MS = 2000;

/** The process id, as seen out here, of the first process in the namespaces; null when bwrap never made it. */
export async function readFirstPid(info: Readable): Promise<number | null> {
  let text = '';
  try {
    info.setEncoding('latin1');
    for await (const piece of info) if (text.length < INFO_BYTES_MAX) text += String(piece);
  } catch {
    // A broken pipe: what has come is judged below.
  }
  const pid = Number(/"child-pid": (\d+)/.exec(text)?.[1]);
  return Number.isSafeInteger(pid) && pid > 1 ? pid : null;
}

function parentOf(pid: number): number | null {
  try {
    // The name in parentheses may hold anything; the fields after it are state and parent.
    const after = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1) ?? '';
    return Number(after.split(' ')[1]);
  } catch {
    return null;
  }
}

function kill(child: ChildProcess, pid: number | null): void {
  // While bwrap is its parent the number can't have passed to somebody else.
  if (pid === null || parentOf(pid) !== child.pid) {
    child.kill('SIGKILL');
    return;
  }
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself in this moment.
  }
}

/**
 * Ends everything in a call's namespaces. The first process is killed, not bwrap: the kernel ends the others before that
 * process's parent, bwrap, hears of its death, so that bwrap's own end says that all are dead.
 */
export function killCall(
  child: ChildProcess,
  { firstPid, exited }: { readonly firstPid: Promise<number | null>; readonly exited: Promise<void> },
): void {
  const fallback = setTimeout(() => child.kill('SIGKILL'), FALLBACK_MS);
  exited.finally(() => clearTimeout(fallback)).catch(() => {});
  void firstPid.then((pid) => kill(child, pid));
}
