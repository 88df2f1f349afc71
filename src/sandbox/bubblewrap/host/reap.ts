import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from '../cell.ts';
import { removeTree } from './remove-tree.ts';
import { runIdOf } from './sandbox-folder.ts';

const PID = /^[1-9]\d*$/;

/** Processes of bwrap that serve a sandbox, told by the sandbox's folder among their arguments. */
async function bwrapProcessesOf(machine: Machine, folder: string): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (!PID.test(entry)) continue;
    const argv = (await readFile(`/proc/${entry}/cmdline`, 'latin1').catch(() => '')).split('\0');
    if (argv[0] === machine.bwrapPath && argv.includes(`${folder}/workspace`)) found.push(Number(entry));
  }
  return found;
}

/** bwrap dies with its parent; what lives here slipped through the moment before it had asked the kernel for that. */
async function endProcesses(machine: Machine, folder: string): Promise<void> {
  for (const pid of await bwrapProcessesOf(machine, folder)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone meanwhile.
    }
  }
}

/** See `SandboxProvider.reap`. A folder's name holds its run id; other names in the state folder are left alone. */
export async function reapSandboxes(
  machine: Machine,
  isLive: (runId: string) => Promise<boolean>,
): Promise<string[]> {
  const removed: string[] = [];
  for (const name of await readdir(machine.stateDir)) {
    const runId = runIdOf(name);
    if (runId === null || (await isLive(runId))) continue;
    const folder = join(machine.stateDir, name);
    await endProcesses(machine, folder);
    await machine.controlGroups?.remove(name);
    await removeTree(folder);
    removed.push(name);
  }
  return removed;
}
