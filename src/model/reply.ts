import { z } from 'zod';
import type { AssistantMessage, Reply, ToolCall, Usage } from './types.ts';

const Text = z.string().nullish().catch(null);
const Count = z.int().nonnegative();

/** Some servers answer in parts; only text counts. */
const Content = z
  .union([
    z.string(),
    z
      .array(z.object({ text: z.string() }).catch({ text: '' }))
      .transform((parts) => parts.map((part) => part.text).join('')),
  ])
  .nullish()
  .catch(null);

const Call = z.object({
  id: Text,
  function: z.object({ name: z.string(), arguments: z.unknown().optional() }),
});

const UsageCounts = z.object({
  prompt_tokens: Count,
  completion_tokens: Count.catch(0),
  total_tokens: Count.optional().catch(undefined),
});

const Choice = z.object({
  message: z.object({
    content: Content,
    reasoning_content: Text,
    reasoning: Text,
    tool_calls: z.array(z.unknown()).nullish().catch(null),
    function_call: z.unknown().optional(),
  }),
  finish_reason: Text,
});

const Completion = z.object({
  choices: z.tuple([Choice], z.unknown()),
  usage: UsageCounts.nullish().catch(null),
});

const FINISH_REASONS: Readonly<Record<string, Reply['finishReason']>> = {
  stop: 'stop',
  eos: 'stop',
  end_turn: 'stop',
  tool_calls: 'tool_calls',
  tool_use: 'tool_calls',
  function_call: 'tool_calls',
  length: 'length',
  max_tokens: 'length',
};

/** A completion as a reply, the fields that we keep as they came; null when it has no choice with a message. */
export function parseReply(answer: unknown): Omit<Reply, 'durationMs'> | null {
  const parsed = Completion.safeParse(answer);
  if (!parsed.success) return null;
  const { message, finish_reason: finish } = parsed.data.choices[0];
  const legacy = message.function_call ? [{ function: message.function_call }] : [];
  const calls = [...(message.tool_calls ?? []), ...legacy].flatMap(toCall);
  const kept: AssistantMessage = {
    role: 'assistant',
    content: message.content ?? null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    ...(typeof message.reasoning_content === 'string'
      ? { reasoning_content: message.reasoning_content }
      : {}),
    ...(typeof message.reasoning === 'string' ? { reasoning: message.reasoning } : {}),
  };
  const known = Object.hasOwn(FINISH_REASONS, finish ?? '') ? FINISH_REASONS[finish ?? ''] : undefined;
  return { message: kept, finishReason: known ?? 'other', usage: toUsage(parsed.data.usage) };
}

/** Items that are no calls are dropped; arguments that came as an object become the text that the protocol wants. */
function toCall(item: unknown): ToolCall[] {
  const parsed = Call.safeParse(item);
  if (!parsed.success) return [];
  const { name, arguments: given } = parsed.data.function;
  const text = typeof given === 'string' ? given : toText(given);
  return [{ id: parsed.data.id ?? '', type: 'function', function: { name, arguments: text } }];
}

function toText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    // Nested more deeply than can be written; the model is told that it was malformed.
    return '';
  }
}

function toUsage(counts: z.output<typeof UsageCounts> | null | undefined): Usage | null {
  if (!counts) return null;
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = counts;
  return {
    promptTokens,
    completionTokens,
    totalTokens: counts.total_tokens ?? promptTokens + completionTokens,
  };
}
