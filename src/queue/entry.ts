import { z } from 'zod';
import { fault } from '../errors.ts';

/** What lies in the queue, and all that does: whoever can read or forge entries learns and decides nothing (T27, T34). */
export const Entry = z.strictObject({
  v: z.literal(1),
  runId: z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/),
});
export type Entry = z.infer<typeof Entry>;

const STEP = /^[a-z][a-z0-9_]{0,63}$/;

export function toEntry(runId: string): Entry {
  const entry = Entry.safeParse({ v: 1, runId });
  if (!entry.success) throw fault('internal', { detail: 'not a run id that the queue takes' });
  return entry.data;
}

/**
 * The entry's identity: adding it again while it is there changes nothing. BullMQ takes no identity of digits alone and
 * none with a colon; ours starts with a letter and has neither.
 */
export function entryId(runId: string, step: string): string {
  if (!STEP.test(step)) throw fault('internal', { detail: 'not a step name that the queue takes' });
  return `${runId}.${step}`;
}
