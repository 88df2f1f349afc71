import { setTimeout as delay } from 'node:timers/promises';
import { fault } from '../../../errors.ts';
import type { Cell } from '../cell.ts';
import { type OpenCall, openCall } from './open-call.ts';

const READY_TIMEOUT_MS = 30_000;
const MESSAGE_BYTES = 2000;

/** Gives the calls of one sandbox their namespaces, one call at a time, and keeps the next set standing. */
export interface CallLine {
  /** Makes the first set stand, or throws the fault that says why it can't. */
  warmUp(): Promise<void>;
  /** Runs `use` with a fresh set when all earlier calls are done. What `use` leaves in it is ended. */
  next<T>(use: (open: OpenCall) => Promise<T>): Promise<T>;
  /** Ends the waiting set after all calls, then does `work`. Call it when the cell is closed: nothing may come after. */
  finish(work: () => Promise<void>): Promise<void>;
}

async function endSet(open: OpenCall): Promise<void> {
  open.kill();
  await open.ended.catch(() => {});
  for (const pipe of [open.stdin, open.stdout, open.stderr]) pipe.destroy();
}

async function readMessage(open: OpenCall): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of open.stderr) pieces.push(piece);
  return Buffer.concat(pieces).subarray(0, MESSAGE_BYTES).toString('utf8').trim();
}

/** Waits until a set stands; one that can't is ended, and told as a fault with bwrap's own words. */
async function ensureStanding(open: OpenCall): Promise<void> {
  const timer = new AbortController();
  const late = delay(READY_TIMEOUT_MS, false, { signal: timer.signal }).catch(() => false);
  const stands = await Promise.race([open.ready, late]);
  timer.abort();
  if (stands) return;
  open.kill();
  const reason = await open.ended.catch((thrown: unknown) => thrown);
  const message = await readMessage(open);
  await endSet(open);
  throw fault('sandbox_start_failed', { detail: `bwrap: ${message || 'no message'}`, cause: reason });
}

/** Folders and pipes vanish only when somebody else has removed the sandbox, such as a reaper. */
function openSet(cell: Cell): OpenCall {
  try {
    return openCall(cell);
  } catch (cause) {
    throw fault('sandbox_lost', { detail: `the folder of ${cell.name} is not what it was`, cause });
  }
}

/** The next set, early. Where it can't be made, the next call will say why. */
function openAhead(cell: Cell): OpenCall | null {
  try {
    return cell.closed.aborted ? null : openCall(cell);
  } catch {
    return null;
  }
}

/** The set that waits, if any, or a new one; returned when it stands. One that ended while it waited is replaced. */
async function standing(cell: Cell, waiting: OpenCall | null): Promise<OpenCall> {
  // Somebody ended it (an operator, the kernel): no call has begun in it, so another may serve.
  const isGone = waiting?.hasEnded() ?? true;
  if (isGone && waiting !== null) await endSet(waiting);
  const open = isGone || waiting === null ? openSet(cell) : waiting;
  await ensureStanding(open);
  return open;
}

/** The line of one cell. Nothing is started before `warmUp` or `next`. */
export function createCallLine(cell: Cell): CallLine {
  let waiting: OpenCall | null = null;
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  }

  async function take(): Promise<OpenCall> {
    const before = waiting;
    waiting = null;
    return await standing(cell, before);
  }

  cell.closed.addEventListener('abort', () => waiting?.kill(), { once: true });

  return {
    async warmUp() {
      await inTurn(async () => {
        waiting = await take();
      });
    },
    next: (use) =>
      inTurn(async () => {
        cell.closed.throwIfAborted();
        const open = await take();
        try {
          return await use(open);
        } finally {
          await endSet(open);
          waiting = openAhead(cell);
        }
      }),
    finish: (work) =>
      inTurn(async () => {
        if (waiting !== null) await endSet(waiting);
        waiting = null;
        await work();
      }),
  };
}
