import picomatch from 'picomatch';
import { z } from 'zod';

const oneLine = z
  .string()
  .trim()
  .min(1, 'should not be empty')
  .max(4096, 'should be at most 4096 characters');
const glob = oneLine.refine(isGlob, 'should be a path pattern, such as `docs/**`');

function isGlob(pattern: string): boolean {
  try {
    picomatch.makeRe(pattern);
    return !pattern.startsWith('/') && !pattern.includes('\\');
  } catch {
    return false;
  }
}

const count = (max: number) =>
  z.int('should be a whole number').min(1, 'should be at least 1').max(max, `should be at most ${max}`);

/** The policy file, version 1, as people write it (docs/policy.md). Strict: an unknown key is a mistake, not a wish. */
export const PolicyFile = z.strictObject({
  enabled: z.boolean('should be true or false').optional(),
  label: oneLine.optional(),
  image: oneLine.optional(),
  setup: oneLine.optional(),
  test: z
    .strictObject({
      command: oneLine,
      report: z
        .strictObject({
          format: z.enum(['junit', 'none'], 'should be junit or none').optional(),
          path: oneLine
            .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), {
              error: 'should be a path inside the repository',
            })
            .optional(),
        })
        .optional(),
      timeout_minutes: count(1440).optional(),
    })
    .optional(),
  paths: z.strictObject({ deny: z.array(glob).max(500).optional() }).optional(),
  limits: z
    .strictObject({
      steps: count(10_000).optional(),
      minutes: count(10_000).optional(),
      files_changed: count(10_000).optional(),
      runs_a_day: count(100_000).optional(),
    })
    .optional(),
});
export type PolicyFile = z.infer<typeof PolicyFile>;

/** Every key that the file may have, by the path of its parent, for "did you mean". */
export const POLICY_KEYS: Readonly<Record<string, readonly string[]>> = {
  '': ['enabled', 'label', 'image', 'setup', 'test', 'paths', 'limits'],
  test: ['command', 'report', 'timeout_minutes'],
  'test.report': ['format', 'path'],
  paths: ['deny'],
  limits: ['steps', 'minutes', 'files_changed', 'runs_a_day'],
};
