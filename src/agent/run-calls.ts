import type { Message } from '../model/types.ts';
import type { PlannedCall } from './plan-calls.ts';
import { neutralise, restore } from './special-tokens.ts';
import type { CallRecord } from './transcript.ts';
import type { Tool, ToolContext } from './types.ts';

/** A net under the tools' own limits (30,000 characters): nothing longer enters the history. */
const MAX_OBSERVATION = 40_000;

export interface CallTools {
  readonly tools: readonly Tool[];
  context(): ToolContext;
  /** Told after each call, so that what was done is kept even if a later call ends the run. */
  done(message: Message & { readonly role: 'tool' }, record: CallRecord): void;
}

/** Runs the calls of one turn in order; one tool message each, with the call's id. Throws what the tools throw. */
export async function runCalls(
  calls: readonly PlannedCall[],
  { tools, context, done }: CallTools,
): Promise<void> {
  for (const planned of calls) {
    const { id, function: called } = planned.call;
    const begin = performance.now();
    const content = toObservation(await observe(planned, tools, context()));
    const durationMs = performance.now() - begin;
    done(
      { role: 'tool', tool_call_id: id, content },
      { id, name: called.name, durationMs, chars: content.length },
    );
  }
}

async function observe(
  { call, args, problem }: PlannedCall,
  tools: readonly Tool[],
  context: ToolContext,
): Promise<string> {
  if (args === null) return problem;
  const tool = tools.find((each) => each.name === call.function.name);
  return tool ? await tool.run(restoreAll(args), context) : `Unknown tool: ${call.function.name}`;
}

function restoreAll(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [key, typeof value === 'string' ? restore(value) : value]),
  );
}

function toObservation(text: string): string {
  if (text.length <= MAX_OBSERVATION) return neutralise(text);
  return `${neutralise(text.slice(0, MAX_OBSERVATION))}\n[truncated ${text.length - MAX_OBSERVATION} chars]`;
}
