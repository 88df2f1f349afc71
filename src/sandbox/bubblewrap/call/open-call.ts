import type { ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { fault } from '../../../errors.ts';
import type { Cell } from '../cell.ts';
import { openInput, openOutput } from './call-pipes.ts';
import { isReady, READY_SCRIPT } from './call-script.ts';
import { killCall, readFirstPid } from './kill-call.ts';
import { spawnBwrap } from './spawn-bwrap.ts';

const STATUS_BYTES_MAX = 8192;

/** Namespaces that are set up, with a shell inside that waits for its one call. */
export interface OpenCall {
  readonly stdin: Socket;
  readonly stdout: Socket;
  readonly stderr: Socket;
  /** Whether the shell stands; false when it never will. */
  readonly ready: Promise<boolean>;
  /** Resolves when every process in the namespaces is dead, to what the shell wrote. Rejects where bwrap can't run. */
  readonly ended: Promise<string>;
  hasEnded(): boolean;
  /** Sends the script of the call. Once. */
  begin(script: string): void;
  kill(): void;
}

/** The control pipes of a child. Entries above 2 that are pipes are duplex streams; the type of spawn can't say so. */
function controlPipes(child: ChildProcess) {
  const stdio = child.stdio as unknown as readonly ((Readable & Writable) | null | undefined)[];
  const [script, , , status, info, block] = stdio;
  if (!script || !status || !info) throw fault('internal', { detail: 'spawn made no control pipes' });
  // Broken pipes show as a missing record; an unheard error event would end this process.
  for (const pipe of [script, status, info, block]) pipe?.on('error', () => {});
  return { script, status, info, block };
}

interface Status {
  readonly ready: Promise<boolean>;
  readonly whole: Promise<string>;
}

function readStatus(pipe: Readable): Status {
  let text = '';
  const ready = Promise.withResolvers<boolean>();
  const whole = Promise.withResolvers<string>();
  pipe.setEncoding('latin1');
  pipe.on('data', (piece: string) => {
    if (text.length < STATUS_BYTES_MAX) text += piece;
    if (isReady(text)) ready.resolve(true);
  });
  pipe.once('close', () => {
    ready.resolve(false);
    whole.resolve(text);
  });
  return { ready: ready.promise, whole: whole.promise };
}

function exitOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('exit', () => resolve());
    child.once('error', (cause) =>
      reject(
        fault('sandbox_start_failed', { detail: `bwrap could not be started: ${cause.message}`, cause }),
      ),
    );
  });
}

function supervise(cell: Cell, child: ChildProcess): Omit<OpenCall, 'stdin' | 'stdout' | 'stderr'> {
  const { script, status, info, block } = controlPipes(child);
  const exited = exitOf(child);
  const firstPid = readFirstPid(info);
  const { ready, whole } = readStatus(status);
  const place = async () => {
    const pid = await firstPid;
    if (pid !== null) await cell.controlGroup?.add(pid);
    block?.end('.');
  };
  const placed = place().catch((cause: unknown) => {
    // Never let a program run outside its limits: bwrap still waits, and ends without a record.
    child.kill('SIGKILL');
    throw fault('sandbox_start_failed', { detail: 'a process could not be put in its control group', cause });
  });
  const ended = Promise.all([exited, placed, whole]).then(([, , text]) => text);
  let hasEnded = false;
  ended.finally(() => (hasEnded = true)).catch(() => {});
  script.write(READY_SCRIPT);
  return {
    ready,
    ended,
    hasEnded: () => hasEnded,
    begin: (text) => void script.end(text),
    kill: () => killCall(child, { firstPid, exited }),
  };
}

/**
 * Sets up the namespaces of a call before the call is known: making them, and the move to a control group (which waits
 * for the whole kernel, 13 ms here), then cost the call nothing. Each set is used once.
 */
export function openCall(cell: Cell): OpenCall {
  const input = openInput(cell.folder);
  const output = openOutput(cell.folder, 'stdout');
  const errors = openOutput(cell.folder, 'stderr');
  const streams = { stdin: input.ours, stdout: output.ours, stderr: errors.ours };
  // A program that has gone breaks its pipes; whoever reads or feeds them sees that as their end.
  for (const stream of Object.values(streams)) stream.on('error', () => {});
  try {
    const theirs = { stdin: input.theirs, stdout: output.theirs, stderr: errors.theirs };
    return { ...streams, ...supervise(cell, spawnBwrap(cell, theirs)) };
  } catch (thrown) {
    for (const stream of Object.values(streams)) stream.destroy();
    throw thrown;
  } finally {
    for (const { theirs } of [input, output, errors]) closeSync(theirs);
  }
}
