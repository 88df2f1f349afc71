import { z } from 'zod';

/** GitHub's answers and payloads: only the fields that are read, lenient about all else. */

export const User = z.object({ id: z.int(), login: z.string(), type: z.string().default('User') });
export const GhostableUser = User.nullish().transform(
  (user) => user ?? { id: 0, login: 'ghost', type: 'User' },
);

export const Repository = z.object({
  id: z.int(),
  name: z.string(),
  owner: z.object({ login: z.string() }),
  default_branch: z.string(),
  archived: z.boolean().default(false),
  disabled: z.boolean().default(false),
});

const Label = z.union([
  z.string(),
  z.object({ name: z.string().nullish() }).transform(({ name }) => name ?? ''),
]);

export const IssueAnswer = z.object({
  number: z.int(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string(),
  user: GhostableUser,
  created_at: z.string(),
  updated_at: z.string(),
  labels: z.array(Label).default([]),
  pull_request: z.unknown().optional(),
  comments: z.int().default(0),
});

export const CommentAnswer = z.object({
  id: z.int(),
  body: z.string().nullish(),
  user: GhostableUser,
  created_at: z.string(),
  updated_at: z.string(),
});

export const PullAnswer = z.object({
  number: z.int(),
  title: z.string(),
  body: z.string().nullish(),
  draft: z.boolean().default(false),
});

export const CheckRunsAnswer = z.object({
  check_runs: z.array(z.object({ id: z.int(), name: z.string() })),
});

export const PermissionAnswer = z.object({ permission: z.string(), role_name: z.string().optional() });
export const TokenAnswer = z.object({ token: z.string().min(1) });
export const AppAnswer = z.object({
  slug: z.string(),
  permissions: z.record(z.string(), z.string()).default({}),
});
export const RefAnswer = z.object({ object: z.object({ sha: z.string().regex(/^[0-9a-f]{40}$/) }) });
export const ContentAnswer = z.object({
  type: z.literal('file'),
  encoding: z.literal('base64'),
  content: z.string(),
});

/** Payload of `issues` events. */
export const IssuesPayload = z.object({
  action: z.string(),
  issue: z.object({
    number: z.int(),
    title: z.string(),
    body: z.string().nullish(),
    updated_at: z.string(),
    pull_request: z.unknown().optional(),
  }),
  label: z.object({ name: z.string() }).optional(),
  repository: z.object({ id: z.int(), name: z.string(), owner: z.object({ login: z.string() }) }),
  sender: User,
  installation: z.object({ id: z.int() }).optional(),
});
