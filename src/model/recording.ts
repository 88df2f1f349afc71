import { z } from 'zod';
import { fault } from '../errors.ts';

const RecordedCall = z.strictObject({
  name: z.string(),
  /** An object, or text where malformed arguments are to be played. */
  arguments: z.union([z.record(z.string(), z.unknown()), z.string()]),
  id: z.string().optional(),
});

const RecordedUsage = z.strictObject({
  prompt_tokens: z.int().nonnegative(),
  completion_tokens: z.int().nonnegative(),
  total_tokens: z.int().nonnegative(),
});

const RecordedTurn = z.strictObject({
  content: z.string().nullable().default(null),
  reasoning: z.string().optional(),
  calls: z.array(RecordedCall).default([]),
  /** `tool_calls` or `stop`, as the calls say, unless given. */
  finish_reason: z.string().optional(),
  /** Estimated from the sizes unless given. */
  usage: RecordedUsage.optional(),
  /** Pause before the answer. */
  delay_ms: z.int().nonnegative().max(3_600_000).default(0),
});

/** A recorded model: what it said and which tools it called, turn by turn. */
export const Recording = z.strictObject({
  about: z.string().optional(),
  model: z.string().min(1).default('recorded'),
  turns: z.array(RecordedTurn).min(1),
});
export type Recording = z.output<typeof Recording>;
export type RecordedTurn = Recording['turns'][number];

/** Parses a transcript file's content; `config_invalid` names every place that is wrong. */
export function parseRecording(value: unknown): Recording {
  const parsed = Recording.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    (issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`,
  );
  throw fault('config_invalid', { detail: `the recorded model's transcript: ${problems.join('; ')}` });
}
