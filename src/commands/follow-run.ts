import { setTimeout as pause } from 'node:timers/promises';
import type { RunEvent, Store } from '../store/types.ts';

const LOOK_EVERY_MS = 100;

/**
 * The events of a run as they are stored, from the first one to the last; ends after the event that ends the run, or with
 * an AbortError. Events of every process are seen, since they come from the store.
 */
export async function* followRun(
  store: Pick<Store, 'readEvents' | 'readRun'>,
  runId: string,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<RunEvent, void, undefined> {
  let seq = 0;
  for (;;) {
    signal.throwIfAborted();
    // Asked before the events: whatever was written before the end is then among them.
    const ended = (await store.readRun(runId))?.state === 'ended';
    for (const event of await store.readEvents(runId, seq)) {
      seq = event.seq;
      yield event;
    }
    if (ended) return;
    await pause(LOOK_EVERY_MS, undefined, { signal });
  }
}
