import { randomBytes } from 'node:crypto';

/** A name that nobody can have prepared for. */
export function unguessableName(prefix: string): string {
  return `${prefix}-${randomBytes(12).toString('hex')}`;
}
