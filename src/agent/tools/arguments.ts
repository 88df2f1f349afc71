import { z } from 'zod';

/** Servers that know no types send every value as text. */
export const WholeNumber = z
  .union(
    [
      z.int(),
      z
        .string()
        .regex(/^\s*-?\d{1,12}\s*$/)
        .transform(Number),
      z.number().transform(Math.trunc),
    ],
    {
      error: 'must be an integer',
    },
  )
  .nullish();

export const NumberLike = z
  .union(
    [
      z.number(),
      z
        .string()
        .regex(/^\s*\d{1,12}(?:\.\d{1,6})?\s*$/)
        .transform(Number),
    ],
    {
      error: 'must be a number',
    },
  )
  .nullish();

export const Flag = z
  .union([z.boolean(), z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0', ''] })], {
    error: 'must be true or false',
  })
  .nullish();

export const Text = z.string({
  error: ({ input }) => (input === undefined || input === null ? 'is required' : 'must be a string'),
});

/** Longest path that Linux takes, bytes with the closing NUL. */
const PATH_MAX = 4096;

export const FilePath = Text.refine((path) => path !== '', 'is required').refine(
  (path) => !path.includes('\0'),
  'must not contain a null byte',
);

/** Whether the system would take the path at all. */
export function isTooLong(path: string): boolean {
  return Buffer.byteLength(path, 'utf8') >= PATH_MAX;
}

/** A value, or the observation that says what is wrong with the arguments. */
export type Checked<Value> = { readonly value: Value } | { readonly observation: string };

/** Checks a call's arguments; `path` is accepted where `file_path` is missing. Every wrong field is named. */
export function checkArguments<Schema extends z.ZodType>(
  schema: Schema,
  args: Readonly<Record<string, unknown>>,
): Checked<z.output<Schema>> {
  const parsed = schema.safeParse({ ...args, file_path: args.file_path ?? args.path });
  if (parsed.success) return { value: parsed.data };
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  return { observation: `ValueError: ${problems.join('; ')}` };
}
