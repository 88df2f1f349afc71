import picomatch from 'picomatch';
import { z } from 'zod';

/** Commands may have several lines; no other control character has a place in one. */
const COMMAND = /^[^\u0000-\u0008\u000b-\u001f\u007f]*$/;
const LINE = /^[^\u0000-\u001f\u007f]*$/;

const text = (max: number) =>
  z
    .string('should be text')
    .trim()
    .min(1, 'should not be empty')
    .max(max, `should be at most ${max} characters`);
const command = text(4096).regex(COMMAND, 'should have no control characters');
const line = text(256).regex(LINE, 'should be one line');
const glob = line.refine(isGlob, 'should be a path pattern, such as `docs/**`');
const count = (max: number) =>
  z.int('should be a whole number').min(1, 'should be at least 1').max(max, `should be at most ${max}`);
const group = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.strictObject(shape, 'should be a group of keys');

/** Relative, and without a leading `!`: a denial that denies everything else would surprise. */
function isGlob(pattern: string): boolean {
  if (/^[/!]|\\/.test(pattern) || pattern.split('/').includes('..')) return false;
  try {
    picomatch.makeRe(pattern);
    return true;
  } catch {
    return false;
  }
}

const isInside = (path: string) =>
  !path.startsWith('/') &&
  !path.includes('\\') &&
  !path.split('/').some((part) => part === '..' || part === '.git');

/** The policy file, version 1, as people write it (docs/policy.md). Strict: an unknown key is a mistake, not a wish. */
export const PolicyFile = group({
  enabled: z.boolean('should be true or false').optional(),
  label: line.optional(),
  image: line.optional(),
  setup: command.optional(),
  test: group({
    command,
    report: group({
      format: z.enum(['junit', 'none'], 'should be junit or none').optional(),
      path: line.refine(isInside, 'should be a path inside the repository').optional(),
    }).optional(),
    timeout_minutes: count(1440).optional(),
  }).optional(),
  paths: group({
    deny: z.array(glob, 'should be a list').max(500, 'should have at most 500 items').optional(),
  }).optional(),
  limits: group({
    steps: count(10_000).optional(),
    minutes: count(10_000).optional(),
    files_changed: count(10_000).optional(),
    runs_a_day: count(100_000).optional(),
  }).optional(),
});
export type PolicyFile = z.infer<typeof PolicyFile>;

/** Every key that the file may have, by the path of its parent, for "did you mean". A test compares it with the schema. */
export const POLICY_KEYS: Readonly<Record<string, readonly string[]>> = {
  '': ['enabled', 'label', 'image', 'setup', 'test', 'paths', 'limits'],
  test: ['command', 'report', 'timeout_minutes'],
  'test.report': ['format', 'path'],
  paths: ['deny'],
  limits: ['steps', 'minutes', 'files_changed', 'runs_a_day'],
};
