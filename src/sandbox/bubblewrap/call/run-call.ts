import type { Socket } from 'node:net';
import { fault } from '../../../errors.ts';
import type { ExecCall, ExecResult, KeptOutput } from '../../types.ts';
import type { Cell } from '../cell.ts';
import { type CallRecord, parseCallRecord } from './call-script.ts';
import { feedStdin } from './feed-stdin.ts';
import { createOutputKeeper } from './keep-output.ts';
import { type StartedCall, startCall } from './start-call.ts';

const KEEP_BYTES = 32 * 1024;
const SIGKILL = 9;
const DETAIL_BYTES = 2000;

/** Why we ended a call before its program did. The first reason counts. */
type Stop = { readonly why: 'time_out' } | { readonly why: 'thrown'; readonly thrown: unknown };

interface Stopper {
  stop(reason: Stop): void;
  reason(): Stop | null;
}

function createStopper(started: StartedCall): Stopper {
  let first: Stop | null = null;
  return {
    stop(reason) {
      if (first !== null) return;
      first = reason;
      started.kill();
    },
    reason: () => first,
  };
}

/** Hands pieces over, or goes on emptying the pipe once a call is stopped, so that nothing inside waits on us. */
async function drain(pipe: Socket, take: (piece: Uint8Array) => void | Promise<void>): Promise<void> {
  for await (const piece of pipe) await take(piece);
}

interface Streams {
  readonly stdout: () => KeptOutput;
  readonly stderr: () => KeptOutput;
  readonly done: Promise<unknown>;
}

function readStreams(started: StartedCall, call: ExecCall, stopper: Stopper): Streams {
  const sizes = call.keep ?? { headBytes: KEEP_BYTES, tailBytes: KEEP_BYTES };
  const stdout = createOutputKeeper(call.onStdout === undefined ? sizes : { headBytes: 0, tailBytes: 0 });
  const stderr = createOutputKeeper(sizes);
  const { onStdout } = call;
  const takeOut = async (piece: Uint8Array) => {
    if (onStdout === undefined) return stdout.add(piece);
    if (stopper.reason() !== null) return;
    try {
      await onStdout(piece);
    } catch (thrown) {
      stopper.stop({ why: 'thrown', thrown });
    }
  };
  const done = Promise.all([drain(started.stdout, takeOut), drain(started.stderr, stderr.add)]);
  const nothing: KeptOutput = { head: new Uint8Array(), tail: new Uint8Array(), omittedBytes: 0 };
  return { stdout: () => (onStdout === undefined ? stdout.kept() : nothing), stderr: stderr.kept, done };
}

/** Waits for the end of all processes and streams, with the timer and the abort listener in place, and takes them away. */
async function superviseCall(
  started: StartedCall,
  streams: Streams,
  rules: { readonly stopper: Stopper; readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const { stopper, signal } = rules;
  const onAbort = () => stopper.stop({ why: 'thrown', thrown: signal.reason });
  const timer = setTimeout(() => stopper.stop({ why: 'time_out' }), rules.timeoutMs);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    await started.ended;
    await streams.done;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    for (const pipe of [started.stdin, started.stdout, started.stderr]) pipe?.destroy();
  }
}

function describeOutput({ head, tail }: KeptOutput): string {
  return Buffer.concat([head, tail]).subarray(0, DETAIL_BYTES).toString('utf8').trim();
}

/** Exit code and signal of a call that ended by itself; every unclear ending is thrown. */
function judgeRecord(
  record: CallRecord,
  seen: { readonly outOfMemory: boolean; readonly stderr: KeptOutput },
): Pick<ExecResult, 'exitCode' | 'signal'> {
  if (record.kind === 'exited') return { exitCode: record.exitCode, signal: null };
  if (record.kind === 'signalled') return { exitCode: null, signal: record.signal };
  if (record.kind === 'not_started')
    throw fault('sandbox_start_failed', { detail: `bwrap: ${describeOutput(seen.stderr) || 'no message'}` });
  if (seen.outOfMemory) return { exitCode: null, signal: SIGKILL };
  throw fault('sandbox_lost', { detail: 'a call ended without an exit record' });
}

/**
 * Runs one call to its end. When this resolves or rejects, every process of the call is dead. Time-outs are results; an
 * abort rejects with the signal's reason, a throwing sink or source with what it threw, our own trouble with a fault.
 */
export async function runCall(
  cell: Cell,
  call: ExecCall,
  { signal: callSignal }: { readonly signal: AbortSignal },
): Promise<ExecResult> {
  const signal = AbortSignal.any([callSignal, cell.closed]);
  signal.throwIfAborted();
  const startedAt = performance.now();
  const oomBefore = cell.controlGroup?.oomKills() ?? 0;
  const started = startCall(cell, call);
  const stopper = createStopper(started);
  const streams = readStreams(started, call, stopper);
  if (started.stdin !== null && call.stdin !== undefined)
    feedStdin(started.stdin, call.stdin).catch((thrown: unknown) => stopper.stop({ why: 'thrown', thrown }));
  await superviseCall(started, streams, { stopper, signal, timeoutMs: call.timeoutMs });
  const stop = stopper.reason();
  if (stop?.why === 'thrown') throw stop.thrown;
  const outOfMemory = (cell.controlGroup?.oomKills() ?? 0) > oomBefore;
  const stderr = streams.stderr();
  const timedOut = stop?.why === 'time_out';
  const ending = timedOut
    ? { exitCode: null, signal: null }
    : judgeRecord(parseCallRecord(await started.status), { outOfMemory, stderr });
  const durationMs = performance.now() - startedAt;
  return { ...ending, stdout: streams.stdout(), stderr, timedOut, outOfMemory, durationMs };
}
