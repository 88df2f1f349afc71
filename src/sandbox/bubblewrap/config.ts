import { posix } from 'node:path';
import { fault } from '../../errors.ts';
import { SCRATCH, WORKSPACE } from '../types.ts';

/** A host folder or file that every sandbox sees read-only, such as dependencies that an operator prepared. */
export interface ReadOnlyPath {
  readonly host: string;
  /** Where it appears inside. Not in a folder that the sandbox may write: it could be replaced there. */
  readonly inside: string;
}

/** What the composition root may set. Everything but `stateDir` has a default. */
export interface BubblewrapOptions {
  /** Folder for one sub-folder per sandbox. Made when missing. Processes may share it if they share the store: `reap`. */
  readonly stateDir: string;
  readonly readOnlyPaths?: readonly ReadOnlyPath[];
  /** Absolute path of the program; default `/usr/bin/bwrap`. */
  readonly bwrapPath?: string;
  /** PATH inside; default the system's folders. */
  readonly path?: string;
  /** A call is ended when the disk of `stateDir` has less left, bytes; default 1 GiB. */
  readonly minFreeBytes?: number;
}

export interface BubblewrapConfig {
  readonly stateDir: string;
  readonly readOnlyPaths: readonly ReadOnlyPath[];
  readonly bwrapPath: string;
  readonly path: string;
  readonly minFreeBytes: number;
}

/** HOME inside: a folder of the sandbox's own. */
export const HOME = '/home/sandbox';

const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin';

const MIN_FREE_BYTES = 1024 ** 3;

/** Places inside that belong to the sandbox or the kernel; nothing may be mounted at or under them. */
const OCCUPIED = [WORKSPACE, SCRATCH, HOME, '/tmp', '/var/tmp', '/dev', '/proc', '/sys', '/usr', '/etc'];

function isNormalAbsolute(path: string): boolean {
  return posix.isAbsolute(path) && posix.normalize(path) === path && path !== '/' && !path.includes('\0');
}

function problemOf({ host, inside }: ReadOnlyPath): string | null {
  if (!isNormalAbsolute(host)) return `host path ${JSON.stringify(host)} is not absolute and normal`;
  if (!isNormalAbsolute(inside)) return `inside path ${JSON.stringify(inside)} is not absolute and normal`;
  const taken = OCCUPIED.find((place) => inside === place || inside.startsWith(`${place}/`));
  return taken === undefined ? null : `inside path ${inside} lies in ${taken}, which the sandbox has itself`;
}

/** Options with defaults filled in; refuses with `config_invalid` what could not be mounted safely, all problems at once. */
export function parseBubblewrapOptions(options: BubblewrapOptions): BubblewrapConfig {
  const readOnlyPaths = options.readOnlyPaths ?? [];
  const bwrapPath = options.bwrapPath ?? '/usr/bin/bwrap';
  const problems = readOnlyPaths.map(problemOf).filter((problem) => problem !== null);
  if (!isNormalAbsolute(bwrapPath)) problems.push('bwrapPath is not absolute');
  if (!isNormalAbsolute(options.stateDir)) problems.push('stateDir is not absolute');
  if (problems.length > 0) throw fault('config_invalid', { detail: `sandbox: ${problems.join('; ')}` });
  const { stateDir, path = DEFAULT_PATH, minFreeBytes = MIN_FREE_BYTES } = options;
  return { stateDir, readOnlyPaths, bwrapPath, path, minFreeBytes };
}
