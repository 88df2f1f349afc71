import { join, relative } from 'node:path';

/** Folders under which groups may be tried. `pids` is null where that controller is missing: prlimit counts then. */
export interface Hierarchies {
  readonly kind: 'v1' | 'v2';
  readonly memory: string;
  readonly pids: string | null;
}

interface Mount {
  readonly root: string;
  readonly at: string;
  readonly type: string;
  readonly options: readonly string[];
}

function parseMounts(mountinfo: string): Mount[] {
  return mountinfo.split('\n').flatMap((line) => {
    // "36 35 98:0 ROOT AT options [tags] - TYPE source OPTIONS"
    const [before, after] = line.split(' - ');
    const [, , , root, at] = before?.split(' ') ?? [];
    const [type, , options] = after?.split(' ') ?? [];
    if (root === undefined || at === undefined || type === undefined) return [];
    return [{ root, at, type, options: options?.split(',') ?? [] }];
  });
}

/** Where a process's own group lies in a mount; null when it is outside of what is mounted (a container's view). */
function folderIn({ root, at }: Mount, group: string): string | null {
  const inside = relative(root, group);
  return inside.startsWith('..') ? null : join(at, inside);
}

/**
 * Places to try, best first, from the texts of /proc/self/cgroup and /proc/self/mountinfo: under our own group, beside it
 * (version 2 forbids groups under one that holds processes), at the top.
 */
export function cgroupCandidates(cgroup: string, mountinfo: string): Hierarchies[] {
  const mounts = parseMounts(mountinfo);
  const groups = new Map<string, string>();
  for (const line of cgroup.split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(.+)$/.exec(line) ?? [];
    for (const name of controllers?.split(',') ?? []) groups.set(name, path ?? '/');
  }
  const v1 = (controller: string): string[] => {
    const mount = mounts.find(({ type, options }) => type === 'cgroup' && options.includes(controller));
    const group = groups.get(controller);
    if (mount === undefined || group === undefined) return [];
    return [folderIn(mount, group), mount.at].filter((folder) => folder !== null);
  };
  const [pids = null] = v1('pids');
  const old = v1('memory').map((memory): Hierarchies => ({ kind: 'v1', memory, pids }));
  const unified = mounts.find(({ type }) => type === 'cgroup2');
  if (unified === undefined || old.length > 0) return old;
  const own = folderIn(unified, groups.get('') ?? '/');
  const beside = own === null || own === unified.at ? null : join(own, '..');
  const folders = [own, beside, unified.at].filter((folder) => folder !== null);
  return [...new Set(folders)].map((memory) => ({ kind: 'v2', memory, pids: memory }));
}
