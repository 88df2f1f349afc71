import { z } from 'zod';

/** What people are told about a variable, in `.env.example` and docs/configuration.md. */
export interface VariableAbout {
  /** One line: what it is for, and its unit where the name does not say it. */
  readonly purpose: string;
  /** Never shown by anything: not in messages, logs or the doctor's table. */
  readonly secret?: true;
}

/** Purposes of all variables, by their schema. */
export const about = z.registry<VariableAbout>();

/** A variable with a value of its own when it is not set. */
export function withDefault<Output>(schema: z.ZodType<Output, string>, standard: string, purpose: string) {
  return schema.prefault(standard).register(about, { purpose });
}

/** A variable that may be left out. */
export function optional<Output>(schema: z.ZodType<Output, string>, purpose: string) {
  return schema.optional().register(about, { purpose });
}

/** A variable that may be left out and whose value is never shown. */
export function secret<Output>(schema: z.ZodType<Output, string>, purpose: string) {
  return schema.optional().register(about, { purpose, secret: true });
}
