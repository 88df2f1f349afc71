import { z } from 'zod';

/** GitHub's answers and payloads: only the fields that are read, lenient about all else. */

/** Logins and repository names become parts of addresses, so nothing but a plain name is one. */
const Name = z.string().regex(/^(?!\.{1,2}$)[\w.-]{1,100}$/, 'is no name');
const Login = z.string().regex(/^[\w.-]{1,100}(?:\[bot\])?$/, 'is no login');
const Moment = z.iso.datetime({ offset: true });
const Commit = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'is no commit');
const Id = z.int().nonnegative();

export const User = z.object({ id: Id, login: Login, type: z.string() });
/** Of a deleted account GitHub tells nothing. */
export const GhostableUser = User.nullish().transform(
  (user) => user ?? { id: 0, login: 'ghost', type: 'User' },
);

const Place = z.object({ id: Id, name: Name, owner: z.object({ login: Login }) });

export const RepositoryAnswer = Place.extend({
  default_branch: z.string().min(1),
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
  id: Id,
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
  check_runs: z.array(
    z.object({
      id: Id,
      name: z.string(),
      conclusion: z.string().nullish(),
      output: z.object({ title: z.string().nullish(), summary: z.string().nullish() }).nullish(),
      app: z.object({ id: Id }).nullish(),
    }),
  ),
});

export const PermissionAnswer = z.object({ permission: z.string(), role_name: z.string().nullish() });
export const TokenAnswer = z.object({ token: z.string().min(1) });
const Granted = z.record(z.string(), z.string()).default({});
export const AppAnswer = z.object({ slug: Name, permissions: Granted });
export const InstallationAnswer = z.object({ permissions: Granted });
export const RefAnswer = z.object({ object: z.object({ sha: Commit }) });
export const ContentAnswer = z.object({
  type: z.string(),
  encoding: z.string().default('none'),
  content: z.string().default(''),
  size: z.int().default(0),
});

/** What every `issues` delivery has, whatever its action. */
export const IssuesEnvelope = z.object({
  action: z.string(),
  label: z.object({ name: z.string() }).nullish(),
  sender: User,
});

/** Payload of the `issues` actions that we react to. */
export const IssuesPayload = IssuesEnvelope.extend({
  issue: z.object({
    number: z.int().positive(),
    title: z.string(),
    body: z.string().nullish(),
    updated_at: Moment,
  }),
  repository: Place,
  installation: z.object({ id: Id }),
});
