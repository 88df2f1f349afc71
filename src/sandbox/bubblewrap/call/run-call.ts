import type { Socket } from 'node:net';
import { fault } from '../../../errors.ts';
import type { ExecCall, ExecResult, KeptOutput } from '../../types.ts';
import type { Cell } from '../cell.ts';
import { watchFreeSpace } from '../host/free-space.ts';
import { type CallRecord, callScript, parseCallRecord } from './call-script.ts';
import { feedStdin } from './feed-stdin.ts';
import { createOutputKeeper } from './keep-output.ts';
import type { OpenCall } from './open-call.ts';

const KEEP_BYTES = 32 * 1024;
const SIGKILL = 9;
const NOTHING_KEPT: KeptOutput = { head: new Uint8Array(), tail: new Uint8Array(), omittedBytes: 0 };

/** Why we ended a call before its program did. The first reason counts. */
type Stop = { readonly why: 'time_out' } | { readonly why: 'thrown'; readonly thrown: unknown };

interface Stopper {
  stop(reason: Stop): void;
  reason(): Stop | null;
}

function createStopper(open: OpenCall): Stopper {
  let first: Stop | null = null;
  return {
    stop(reason) {
      if (first !== null) return;
      first = reason;
      open.kill();
    },
    reason: () => first,
  };
}

interface Streams {
  readonly stdout: () => KeptOutput;
  readonly stderr: () => KeptOutput;
  /** Both have ended and all was taken. */
  readonly done: Promise<unknown>;
}

async function drain(pipe: Socket, take: (piece: Uint8Array) => void | Promise<void>): Promise<void> {
  for await (const piece of pipe) await take(piece);
}

/** A sink that throws ends the call; from then on, as after every stop, pieces are dropped. */
function guardSink(sink: NonNullable<ExecCall['onStdout']>, stopper: Stopper) {
  return async (piece: Uint8Array) => {
    if (stopper.reason() !== null) return;
    try {
      await sink(piece);
    } catch (thrown) {
      stopper.stop({ why: 'thrown', thrown });
    }
  };
}

function readStreams(open: OpenCall, call: ExecCall, stopper: Stopper): Streams {
  const sizes = call.keep ?? { headBytes: KEEP_BYTES, tailBytes: KEEP_BYTES };
  const errors = createOutputKeeper(sizes);
  const readErrors = drain(open.stderr, errors.add);
  if (call.onStdout !== undefined) {
    const done = Promise.all([drain(open.stdout, guardSink(call.onStdout, stopper)), readErrors]);
    return { stdout: () => NOTHING_KEPT, stderr: errors.kept, done };
  }
  const output = createOutputKeeper(sizes);
  const done = Promise.all([drain(open.stdout, output.add), readErrors]);
  return { stdout: output.kept, stderr: errors.kept, done };
}

function feed(open: OpenCall, content: ExecCall['stdin'], stopper: Stopper): void {
  if (content === undefined) {
    open.stdin.end();
    return;
  }
  feedStdin(open.stdin, content).catch((thrown: unknown) => stopper.stop({ why: 'thrown', thrown }));
}

/** Waits for the end of all processes and streams, with the timer and the abort listener in place, and takes them away. */
async function superviseCall(
  open: OpenCall,
  streams: Streams,
  rules: { readonly stopper: Stopper; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<string> {
  const { stopper, signal } = rules;
  const onAbort = () => stopper.stop({ why: 'thrown', thrown: signal.reason });
  const timer = setTimeout(() => stopper.stop({ why: 'time_out' }), rules.timeoutMs);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const status = await open.ended;
    // A source that still has something to say is told that nobody listens.
    open.stdin.destroy();
    await streams.done;
    return status;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** Exit code and signal of a call that ended by itself; every unclear ending is thrown. */
function judgeRecord(record: CallRecord, outOfMemory: boolean): Pick<ExecResult, 'exitCode' | 'signal'> {
  if (record.kind === 'exited') return { exitCode: record.exitCode, signal: null };
  if (record.kind === 'signalled') return { exitCode: null, signal: record.signal };
  if (outOfMemory) return { exitCode: null, signal: SIGKILL };
  const detail = record.kind === 'not_started' ? 'a call never began' : 'a call ended without an exit record';
  throw fault('sandbox_lost', { detail });
}

/**
 * Runs one call to its end in namespaces of its own. When this resolves or rejects, every process of the call is dead.
 * Time-outs are results; an abort rejects with the signal's reason, a throwing sink or source with what it threw, our own
 * trouble with a fault.
 */
export async function runCall(
  { cell, open }: { readonly cell: Cell; readonly open: OpenCall },
  call: ExecCall,
  { signal: callSignal }: { readonly signal: AbortSignal },
): Promise<ExecResult> {
  const signal = AbortSignal.any([callSignal, cell.closed]);
  signal.throwIfAborted();
  const memoryLimit = cell.controlGroup === null ? 'each_process' : 'control_group';
  const script = callScript(call, cell.limits, memoryLimit);
  const startedAt = performance.now();
  const oomBefore = cell.controlGroup?.oomKills() ?? 0;
  const stopper = createStopper(open);
  const streams = readStreams(open, call, stopper);
  open.begin(script);
  feed(open, call.stdin, stopper);
  const endWatch = watchFreeSpace(cell.machine, (thrown) => stopper.stop({ why: 'thrown', thrown }));
  const rules = { stopper, signal, timeoutMs: call.timeoutMs };
  const status = await superviseCall(open, streams, rules).finally(endWatch);
  const stop = stopper.reason();
  if (stop?.why === 'thrown') throw stop.thrown;
  const timedOut = stop?.why === 'time_out';
  const outOfMemory = (cell.controlGroup?.oomKills() ?? 0) > oomBefore;
  const ending = timedOut
    ? { exitCode: null, signal: null }
    : judgeRecord(parseCallRecord(status), outOfMemory);
  const durationMs = performance.now() - startedAt;
  return { ...ending, stdout: streams.stdout(), stderr: streams.stderr(), timedOut, outOfMemory, durationMs };
}
