import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { bwrapArguments } from '../bwrap-arguments.ts';
import type { Cell } from '../cell.ts';
import { STDIN_FD } from './call-script.ts';

const INFO_FD = 4;
const BLOCK_FD = 5;
const SECCOMP_FD = 6;

interface Files {
  readonly stdin: number;
  readonly stdout: number;
  readonly stderr: number;
  readonly seccomp: number;
  readonly empty: number;
}

/** Inherited descriptors that no pipe of ours takes the place of. */
function coverFds({ machine, controlGroup }: Cell): number[] {
  const isFree = (fd: number) => fd > STDIN_FD || (fd === BLOCK_FD && controlGroup === null);
  return machine.inheritedFiles.filter(isFree);
}

/** Descriptors in the order of their numbers inside. */
function stdioTable(cell: Cell, { stdin, stdout, stderr, seccomp, empty }: Files) {
  // bwrap closes the block pipe only where it was told of it.
  const block = cell.controlGroup === null ? 'ignore' : 'pipe';
  const table: (number | 'ignore' | 'pipe')[] = [
    'pipe',
    stdout,
    stderr,
    'pipe',
    'pipe',
    block,
    seccomp,
    stdin,
  ];
  for (const fd of coverFds(cell)) {
    while (table.length <= fd) table.push('ignore');
    table[fd] = empty;
  }
  return table;
}

function argumentsOf(cell: Cell): string[] {
  const { folder, limits, controlGroup, machine } = cell;
  const fds = {
    info: INFO_FD,
    block: controlGroup === null ? null : BLOCK_FD,
    seccomp: SECCOMP_FD,
    covers: coverFds(cell),
  };
  return cell.alterArguments(bwrapArguments({ folder, limits, argv: ['/bin/sh', '-s'], fds }, machine.root));
}

/** Starts bwrap for a cell. Its stdio has pipes at 0 (script), 3 (status), 4 (info) and, with a control group, 5 (block). */
export function spawnBwrap(cell: Cell, streams: Omit<Files, 'seccomp' | 'empty'>): ChildProcess {
  const seccomp = openSync(join(cell.folder, 'seccomp'), 'r');
  const empty = openSync('/dev/null', 'r');
  try {
    return spawn(cell.machine.bwrapPath, argumentsOf(cell), {
      cwd: '/',
      env: {},
      // A group of its own: Ctrl-C in a terminal is for us to handle, in order.
      detached: true,
      stdio: stdioTable(cell, { ...streams, seccomp, empty }),
      ...(cell.user ?? {}),
    });
  } finally {
    closeSync(seccomp);
    closeSync(empty);
  }
}
