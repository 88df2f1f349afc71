import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fault } from '../../../errors.ts';
import { type ExecCall, WORKSPACE } from '../../types.ts';
import { bwrapArguments } from '../bwrap-arguments.ts';
import type { Cell } from '../cell.ts';
import { openInput, openOutput } from './call-pipes.ts';
import { callArgv } from './call-script.ts';

const INFO_FD = 4;
const BLOCK_FD = 5;
const SECCOMP_FD = 6;
const INFO_BYTES_MAX = 4096;
const STATUS_BYTES_MAX = 8192;
/** When killing the namespace's first process did not end bwrap, bwrap itself is killed. */
const KILL_FALLBACK_MS = 2000;

/** A call in progress. */
export interface StartedCall {
  readonly stdin: Socket | null;
  readonly stdout: Socket;
  readonly stderr: Socket;
  /** What the call script wrote, once the call has ended. */
  readonly status: Promise<string>;
  /** Resolves when every process of the call is dead. Rejects with a fault when bwrap could not be started at all. */
  readonly ended: Promise<void>;
  kill(): void;
}

async function readAll(stream: Readable, maxBytes: number): Promise<string> {
  let text = '';
  try {
    stream.setEncoding('latin1');
    for await (const piece of stream) if (text.length < maxBytes) text += String(piece);
  } catch {
    // A pipe that breaks is a record that ends here; the parser judges what is left.
  }
  return text;
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

function killFirstProcess(child: ChildProcess, pid: number | null): void {
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

function parseFirstPid(info: string): number | null {
  const pid = Number(/"child-pid": (\d+)/.exec(info)?.[1]);
  return Number.isSafeInteger(pid) && pid > 1 ? pid : null;
}

function endOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('exit', () => resolve());
    child.once('error', (cause) =>
      reject(
        fault('sandbox_start_failed', { detail: `bwrap could not be started: ${cause.message}`, cause }),
      ),
    );
  });
}

/** Descriptors in the order of their numbers inside; stray inherited ones are covered with the harmless filter file. */
function stdioTable(
  cell: Cell,
  files: { readonly streams: (number | 'ignore')[]; readonly seccomp: number },
) {
  const table: (number | 'ignore' | 'pipe')[] = [...files.streams, 'pipe', 'pipe', 'pipe', files.seccomp];
  for (const fd of cell.machine.inheritedFiles) {
    while (table.length <= fd) table.push('ignore');
    if (fd > SECCOMP_FD) table[fd] = files.seccomp;
  }
  return table;
}

function argumentsOf(cell: Cell, call: ExecCall): string[] {
  const memoryLimit = cell.controlGroup === null ? 'each_process' : 'control_group';
  return cell.alterArguments(
    bwrapArguments(
      {
        folder: cell.folder,
        cwd: call.cwd ?? WORKSPACE,
        env: call.env ?? {},
        limits: cell.limits,
        argv: callArgv(call.argv, cell.limits, memoryLimit),
        fds: { info: INFO_FD, block: cell.controlGroup === null ? null : BLOCK_FD, seccomp: SECCOMP_FD },
      },
      cell.machine.root,
    ),
  );
}

function spawnBwrap(cell: Cell, call: ExecCall, streams: (number | 'ignore')[]): ChildProcess {
  const seccomp = openSync(join(cell.folder, 'seccomp'), 'r');
  try {
    return spawn(cell.machine.bwrapPath, argumentsOf(cell, call), {
      cwd: '/',
      env: {},
      // A group of its own: Ctrl-C in a terminal is for us to handle, in order.
      detached: true,
      stdio: stdioTable(cell, { streams, seccomp }),
      ...(cell.user ?? {}),
    });
  } catch (cause) {
    // An argument with a NUL byte or over 128 KiB: the caller's mistake, the same at every try.
    throw fault('internal', { detail: 'the arguments of a sandbox call are not possible ones', cause });
  } finally {
    closeSync(seccomp);
  }
}

/** Starts a call: opens its pipes, puts its first process in the control group before the program begins. */
export function startCall(cell: Cell, call: ExecCall): StartedCall {
  const input = call.stdin === undefined ? null : openInput(cell.folder);
  const output = openOutput(cell.folder, 'stdout');
  const errors = openOutput(cell.folder, 'stderr');
  const pipes = [input, output, errors].filter((pipe) => pipe !== null);
  let child: ChildProcess;
  try {
    child = spawnBwrap(cell, call, [input?.theirs ?? 'ignore', output.theirs, errors.theirs]);
  } catch (thrown) {
    for (const { ours } of pipes) ours.destroy();
    throw thrown;
  } finally {
    for (const { theirs } of pipes) closeSync(theirs);
  }
  return { stdin: input?.ours ?? null, stdout: output.ours, stderr: errors.ours, ...supervise(cell, child) };
}

function supervise(cell: Cell, child: ChildProcess): Pick<StartedCall, 'status' | 'ended' | 'kill'> {
  // stdio entries above 2 that are pipes are duplex streams; the type of spawn can't say so.
  const [, , , statusPipe, infoPipe, blockPipe] = child.stdio as unknown as (Readable & Writable)[];
  const ended = endOf(child);
  if (statusPipe === undefined || infoPipe === undefined || blockPipe === undefined)
    throw fault('internal', { detail: 'spawn made no control pipes' });
  for (const pipe of [statusPipe, infoPipe, blockPipe]) pipe.on('error', () => {});
  const firstPid = readAll(infoPipe, INFO_BYTES_MAX).then(parseFirstPid);
  const release = async () => {
    const pid = await firstPid;
    if (pid !== null) cell.controlGroup?.add(pid);
    blockPipe.end('.');
  };
  const kill = async () => {
    const fallback = setTimeout(() => child.kill('SIGKILL'), KILL_FALLBACK_MS);
    ended.finally(() => clearTimeout(fallback)).catch(() => {});
    killFirstProcess(child, await firstPid);
  };
  const placed = release().catch((thrown: unknown) => {
    // Never let a program run outside its limits: bwrap still waits, and ends without a start record.
    child.kill('SIGKILL');
    throw thrown;
  });
  return {
    status: readAll(statusPipe, STATUS_BYTES_MAX),
    ended: Promise.all([ended, placed]).then(() => {}),
    kill: () => void kill(),
  };
}
