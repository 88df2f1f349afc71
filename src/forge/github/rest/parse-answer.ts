import type { z } from 'zod';
import { fault } from '../../../errors.ts';

/** An answer in the form that we read; `forge_answer_invalid` names route and field, for it is often a proxy's or login page. */
export function parseAnswer<Schema extends z.ZodType>(
  schema: Schema,
  data: unknown,
  route: string,
): z.output<Schema> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') || 'body';
  const detail = `${route}: the answer's ${field} is not as expected (${issue?.message ?? 'no reason given'})`;
  throw fault('forge_answer_invalid', { detail });
}
