import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SandboxLimits } from '../../types.ts';
import type { Hierarchies } from './cgroup-hierarchies.ts';

/** A control group that holds all processes of one sandbox. */
export interface ControlGroup {
  /** Puts a process, and all that it will start, in the group. Throws where it can't: then nothing may run. */
  add(pid: number): Promise<void>;
  /** How many processes the kernel has ended in this group for want of memory. */
  oomKills(): number;
}

/** Where groups can be made on this machine. */
export interface ControlGroupPlace {
  create(name: string, limits: GroupLimits): Promise<ControlGroup>;
  /** Ends what is left in the group of that name and removes it. Safe when there is none. */
  remove(name: string): Promise<void>;
}

type GroupLimits = Pick<SandboxLimits, 'memoryBytes' | 'processes'>;

/** The shell of a call and the two that feed its program count too. */
const OWN_PROCESSES = 3;
const REMOVE_TRIES = 100;
const REMOVE_PAUSE_MS = 20;

interface Setting {
  readonly file: string;
  readonly value: (limits: GroupLimits) => number;
  /** Missing on kernels without swap accounting. */
  readonly optional?: true;
}

const SETTINGS: Record<Hierarchies['kind'], readonly Setting[]> = {
  v1: [
    { file: 'memory.limit_in_bytes', value: ({ memoryBytes }) => memoryBytes },
    // Memory and swap together; must not be set before the limit of memory alone.
    { file: 'memory.memsw.limit_in_bytes', value: ({ memoryBytes }) => memoryBytes, optional: true },
  ],
  v2: [
    { file: 'memory.max', value: ({ memoryBytes }) => memoryBytes },
    { file: 'memory.swap.max', value: () => 0, optional: true },
  ],
};

const OOM_FILE: Record<Hierarchies['kind'], string> = { v1: 'memory.oom_control', v2: 'memory.events' };

function groupFolders({ memory, pids }: Hierarchies, name: string): { memory: string; all: string[] } {
  const own = join(memory, `tadpole-${name}`);
  return {
    memory: own,
    all: pids === null || pids === memory ? [own] : [own, join(pids, `tadpole-${name}`)],
  };
}

function readOomKills(file: string): number {
  return Number(/^oom_kill (\d+)$/m.exec(readFileSync(file, 'latin1'))?.[1] ?? 0);
}

async function killMembers(folder: string): Promise<void> {
  const members = await readFile(join(folder, 'cgroup.procs'), 'latin1').catch(() => '');
  for (const pid of members
    .split('\n')
    .map(Number)
    .filter((number) => number > 1)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone meanwhile.
    }
  }
}

async function removeGroup(folder: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    await killMembers(folder);
    try {
      await rmdir(folder);
      return;
    } catch (thrown) {
      const code = thrown instanceof Error && 'code' in thrown ? thrown.code : null;
      if (code === 'ENOENT') return;
      // Busy until the kernel has let go of the last dead process.
      if (code !== 'EBUSY' || tries === REMOVE_TRIES) throw thrown;
    }
    await delay(REMOVE_PAUSE_MS);
  }
}

async function applyLimits(hierarchies: Hierarchies, name: string, limits: GroupLimits): Promise<void> {
  const { memory, all } = groupFolders(hierarchies, name);
  for (const { file, value, optional } of SETTINGS[hierarchies.kind]) {
    const written = writeFile(join(memory, file), String(value(limits)), { flag: 'r+' });
    await (optional ? written.catch(() => {}) : written);
  }
  if (hierarchies.pids !== null)
    await writeFile(join(all.at(-1) ?? memory, 'pids.max'), String(limits.processes + OWN_PROCESSES), {
      flag: 'r+',
    });
}

/** Groups under the given hierarchies; every error is the kernel's, as it is. */
export function controlGroupsIn(hierarchies: Hierarchies): ControlGroupPlace {
  return {
    async create(name, limits) {
      const { memory, all } = groupFolders(hierarchies, name);
      for (const folder of all) await mkdir(folder);
      await applyLimits(hierarchies, name, limits);
      return {
        async add(pid) {
          for (const folder of all)
            await writeFile(join(folder, 'cgroup.procs'), String(pid), { flag: 'r+' });
        },
        oomKills: () => readOomKills(join(memory, OOM_FILE[hierarchies.kind])),
      };
    },
    async remove(name) {
      for (const folder of groupFolders(hierarchies, name).all) await removeGroup(folder);
    },
  };
}

/** Makes a group, puts a process in it, and removes it again: only what has worked once is relied on. */
export async function canUse(place: ControlGroupPlace, name: string): Promise<boolean> {
  const subject = execFile('/bin/sleep', ['30'], { env: {} });
  try {
    const group = await place.create(name, { memoryBytes: 64 * 1024 * 1024, processes: 8 });
    await group.add(subject.pid ?? 0);
    group.oomKills();
    return true;
  } catch {
    return false;
  } finally {
    subject.kill('SIGKILL');
    await place.remove(name).catch(() => {});
  }
}
