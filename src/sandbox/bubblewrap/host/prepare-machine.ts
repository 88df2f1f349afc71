import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fault } from '../../../errors.ts';
import type { Machine } from '../cell.ts';
import type { BubblewrapConfig } from '../config.ts';
import { findControlGroups } from './find-control-groups.ts';
import { inheritedFiles, MAX_COVERED_FD } from './inherited-files.ts';
import { seccompFilter } from './seccomp.ts';
import { openStateDir } from './state-dir.ts';
import { readSystemLayout } from './system-layout.ts';

const execFileAsync = promisify(execFile);

const OLDEST = { major: 0, minor: 8 };

async function readVersion(bwrapPath: string): Promise<string> {
  const { stdout } = await execFileAsync(bwrapPath, ['--version'], { env: {} }).catch((cause: unknown) => {
    throw fault('sandbox_unavailable', {
      detail: `${bwrapPath} does not run: install bubblewrap 0.8 or later (Debian, Ubuntu: apt-get install bubblewrap; Fedora: dnf install bubblewrap; Arch: pacman -S bubblewrap)`,
      cause,
    });
  });
  const version = /(\d+)\.(\d+)(?:\.\d+)?/.exec(stdout);
  const [major, minor] = [Number(version?.[1]), Number(version?.[2])];
  if (!(major > OLDEST.major || minor >= OLDEST.minor))
    throw fault('sandbox_unavailable', {
      detail: `${bwrapPath} is ${stdout.trim() || 'of an unknown version'}; 0.8 or later is needed (--disable-userns)`,
    });
  return version?.[0] ?? 'unknown';
}

function coverableFiles(): readonly number[] {
  const inherited = inheritedFiles();
  const beyond = inherited.filter((fd) => fd > MAX_COVERED_FD);
  if (beyond.length === 0) return inherited;
  throw fault('sandbox_unavailable', {
    detail: `this process was started with open file descriptors (${beyond.join(', ')}) that would be open in sandboxes too: start it without them`,
  });
}

function filterOf(architecture: NodeJS.Architecture): Uint8Array {
  const filter = seccompFilter(architecture);
  if (filter !== null) return filter;
  throw fault('sandbox_unavailable', {
    detail: `the system call filter knows x64 and arm64, not ${architecture}`,
  });
}

/** Finds what this machine offers. Refuses with `sandbox_unavailable` and what to change. */
export async function prepareMachine(config: BubblewrapConfig): Promise<Machine> {
  const version = await readVersion(config.bwrapPath);
  const layout = await readSystemLayout();
  return {
    stateDir: await openStateDir(config.stateDir, process.getuid?.() ?? -1),
    minFreeBytes: config.minFreeBytes,
    bwrapPath: config.bwrapPath,
    version,
    root: { layout, readOnlyPaths: config.readOnlyPaths, path: config.path },
    seccomp: filterOf(process.arch),
    inheritedFiles: coverableFiles(),
    controlGroups: await findControlGroups(),
  };
}
