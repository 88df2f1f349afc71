import { z } from 'zod';

const Call = z.object({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.object({ name: z.string().regex(/^[\w-]{1,64}$/), arguments: z.string().min(2) }),
});

const Message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'user']), content: z.string() }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string(),
    tool_calls: z.array(Call).min(1).optional(),
    reasoning_content: z.string().optional(),
    reasoning: z.string().optional(),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
]);

/** What the strictest servers refuse in a request (case D06), one line each. */
export function findViolations(text: string): readonly string[] {
  const { messages = [] } = JSON.parse(text) as { messages?: unknown[] };
  const found: string[] = [];
  const seen = new Set<string>();
  let waiting: string[] = [];
  for (const [index, value] of messages.entries()) {
    const parsed = Message.safeParse(value);
    if (!parsed.success) {
      found.push(`message ${index}: ${z.prettifyError(parsed.error)}`);
      continue;
    }
    const message = parsed.data;
    if (message.role === 'tool') {
      if (waiting.shift() !== message.tool_call_id) found.push(`message ${index} answers no open call`);
      continue;
    }
    if (waiting.length > 0) found.push(`message ${index} comes before an answer to ${waiting.join()}`);
    waiting = [];
    if (message.role !== 'assistant') continue;
    for (const call of message.tool_calls ?? []) {
      if (seen.has(call.id)) found.push(`message ${index}: id ${call.id} is used twice`);
      seen.add(call.id);
      waiting.push(call.id);
      if (!isObject(call.function.arguments)) found.push(`message ${index}: arguments are no object`);
    }
  }
  if (waiting.length > 0) found.push(`no answer to ${waiting.join()}`);
  return found;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
