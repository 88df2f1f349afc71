import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { fault } from '../errors.ts';
import type { Run, Store } from '../store/types.ts';
import { followRun } from './follow-run.ts';
import { printableValue } from './format.ts';
import type { Terminal } from './types.ts';

/** One delivery as a forge would make it, without its signature. */
export interface Delivery {
  readonly id: string;
  /** Name of the event, such as `issues`. */
  readonly event: string;
  readonly payload: unknown;
}

export interface ReceiveParts {
  /** Takes the delivery as a verified one; the run that it led to, or why it led to none. */
  readonly deliver: (
    delivery: Delivery,
  ) => Promise<{ readonly runId: string } | { readonly ignored: string }>;
  readonly store: Pick<Store, 'readEvents' | 'readRun'>;
}

const Envelope = z.object({
  event: z.string(),
  id: z.string().optional(),
  payload: z.record(z.string(), z.unknown()),
});
const Payload = z.record(z.string(), z.unknown());

/** A file with a delivery, or with its payload alone when the file is named after the event: `issues.labeled.json`. */
export async function readDelivery(path: string): Promise<Delivery> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw fault('config_invalid', { detail: `The delivery's file ${path} can't be read.`, cause });
  });
  const delivery = parseDelivery(text, basename(path).split('.')[0] ?? '');
  if (delivery) return delivery;
  const detail = `${path} holds neither { "event", "payload" } nor a payload as a JSON object.`;
  throw fault('config_invalid', { detail });
}

function parseDelivery(text: string, event: string): Delivery | null {
  const value = parseJson(text);
  const envelope = Envelope.safeParse(value);
  if (envelope.success) return { id: randomUUID(), ...withoutUndefined(envelope.data) };
  const payload = Payload.safeParse(value);
  return payload.success && event !== '' ? { id: randomUUID(), event, payload: payload.data } : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function withoutUndefined({ event, id, payload }: z.output<typeof Envelope>) {
  return id === undefined ? { event, payload } : { event, id, payload };
}

/** `tadpole receive`: one delivery through the whole thing. Resolves to 0 unless the run ended as `faulted`. */
export async function receive(
  path: string,
  { deliver, store }: ReceiveParts,
  { terminal, signal }: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<number> {
  const answer = await deliver(await readDelivery(path));
  if ('ignored' in answer) {
    terminal.out(`${JSON.stringify({ ignored: answer.ignored })}\n`);
    return 0;
  }
  for await (const { stage, kind, data } of followRun(store, answer.runId, { signal })) {
    const line = { run: answer.runId, stage, kind, ...data };
    terminal.out(`${JSON.stringify(printableValue(line))}\n`);
  }
  const run = await store.readRun(answer.runId);
  terminal.out(`${JSON.stringify(printableValue(toEnding(run)))}\n`);
  return run?.outcome === 'faulted' ? 1 : 0;
}

function toEnding(run: Run | null) {
  const draft = run?.published?.draft.webUrl ?? null;
  return { run: run?.id ?? null, outcome: run?.outcome ?? null, details: run?.outcomeDetails ?? {}, draft };
}
