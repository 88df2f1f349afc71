import { z } from 'zod';
import { type Change, EXIT_REASONS, type Prepared, type Published, type Worked } from '../run/types.ts';
import { SUITE_STATES, type SuiteResult, type Verification } from '../verification/types.ts';

/** Shapes of the JSON columns that stages leave behind. */

export const StoredPrepared = z.object({
  base: z.object({ branch: z.string(), commit: z.string(), tree: z.string() }),
  pack: z.string(),
  packBytes: z.number(),
  files: z.number(),
}) satisfies z.ZodType<Prepared>;

const FileChange = z.object({
  path: z.string(),
  kind: z.enum(['added', 'modified', 'deleted']),
  oldMode: z.string().nullable(),
  newMode: z.string().nullable(),
  additions: z.number().nullable(),
  deletions: z.number().nullable(),
});

const StoredChange = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none'), ignored: z.number() }),
  z.object({ kind: z.literal('refused'), problems: z.array(z.string()) }),
  z.object({
    kind: z.literal('changed'),
    tree: z.string(),
    files: z.array(FileChange),
    pack: z.string(),
    notes: z.array(z.string()),
  }),
]) satisfies z.ZodType<Change>;

const TestStatus = z.enum(['passed', 'failed', 'skipped']);

const StoredSuite = z.object({
  state: z.enum(SUITE_STATES),
  exitCode: z.number().nullable(),
  tests: z.array(
    z.object({
      id: z.string(),
      status: TestStatus,
      durationMs: z.number().nullable(),
      message: z.string().nullable(),
    }),
  ),
  durationMs: z.number(),
  outputTail: z.string(),
}) satisfies z.ZodType<SuiteResult>;

const Ids = z.array(z.string());

const StoredVerification = z.object({
  verdict: z.enum(['verified', 'unproven', 'regression', 'not_measurable', 'no_tests']),
  reason: z.string(),
  command: z.string().nullable(),
  base: StoredSuite.nullable(),
  patched: StoredSuite.nullable(),
  comparison: z
    .object({
      fixed: Ids,
      broken: Ids,
      stillFailing: Ids,
      stillPassing: Ids,
      new: z.array(z.object({ id: z.string(), status: TestStatus })),
      vanished: Ids,
      nowSkipped: Ids,
      stillSkipped: Ids,
    })
    .nullable(),
  notTested: Ids,
}) satisfies z.ZodType<Verification>;

const Isolation = z.object({
  isolated: z.boolean(),
  findings: z.array(z.object({ check: z.string(), closed: z.boolean(), seen: z.string() })),
});

export const StoredWorked = z.object({
  sandbox: z.object({ kind: z.string(), version: z.string(), notLimited: z.array(z.string()) }),
  isolation: z.object({ before: Isolation, after: Isolation }),
  agent: z.object({
    exitReason: z.enum(EXIT_REASONS),
    turns: z.number(),
    toolCalls: z.number(),
    tokens: z.number(),
    durationMs: z.number(),
    lastWords: z.string(),
    transcript: z.string(),
    model: z.string(),
    recorded: z.boolean(),
    profile: z.string(),
  }),
  change: StoredChange,
  verification: StoredVerification.nullable(),
}) satisfies z.ZodType<Worked>;

export const StoredPublished = z.object({
  branch: z.string(),
  commit: z.string(),
  draft: z.object({ number: z.number(), webUrl: z.string() }),
}) satisfies z.ZodType<Published>;
