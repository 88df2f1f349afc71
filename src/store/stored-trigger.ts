import { z } from 'zod';
import type { Admitted } from '../admission/types.ts';
import { PERMISSIONS } from '../forge/types.ts';
import type { LabelTrigger } from '../webhook/trigger.ts';

/** Shapes of the JSON columns of the forge side's first half: what came in, and what was admitted. */

const Actor = z.object({ id: z.number(), login: z.string(), kind: z.enum(['user', 'bot']) });
const RepositoryRef = z.object({
  id: z.number(),
  owner: z.string(),
  name: z.string(),
  installation: z.number(),
});

export const StoredTrigger = z.object({
  kind: z.literal('label'),
  forge: z.literal('github'),
  deliveryId: z.string(),
  intent: z.string(),
  repository: RepositoryRef,
  issue: z.number(),
  label: z.string(),
  sender: Actor,
  labelledAt: z.string(),
  title: z.string(),
  body: z.string(),
}) satisfies z.ZodType<LabelTrigger>;

export const CancelReason = z.enum(['label_removed', 'issue_closed', 'issue_deleted']);

const Policy = z.object({
  enabled: z.boolean(),
  label: z.string(),
  image: z.string().nullable(),
  setup: z.string().nullable(),
  test: z
    .object({
      command: z.string(),
      report: z.object({ format: z.enum(['junit', 'none']), path: z.string().nullable() }),
      timeoutMinutes: z.number(),
    })
    .nullable(),
  paths: z.object({ deny: z.array(z.string()) }),
  limits: z.object({
    steps: z.number(),
    minutes: z.number(),
    filesChanged: z.number(),
    runsADay: z.number(),
  }),
});

const PinnedText = z.object({
  title: z.string(),
  body: z.string(),
  comments: z.array(z.object({ author: z.string(), createdAt: z.string(), body: z.string() })),
  omitted: z.number(),
  text: z.string(),
  sha256: z.string(),
  takenAt: z.string(),
});

export const StoredAdmitted = z.object({
  kind: z.literal('admitted'),
  policy: Policy,
  policySource: z.object({ path: z.string(), commit: z.string().nullable() }),
  pinned: PinnedText,
  permission: z.enum(PERMISSIONS),
  base: z.object({ branch: z.string(), commit: z.string() }),
}) satisfies z.ZodType<Admitted>;
