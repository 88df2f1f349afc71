import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { holds, identify } from './access.ts';
import type { Shapes } from './answers.ts';
import type { Deliveries } from './deliveries.ts';
import { git } from './git-backend.ts';
import { type Check, mintToken, type Place, type Pull, type World } from './world.ts';

export interface RestParts {
  readonly world: World;
  readonly shapes: Shapes;
  readonly deliveries: Deliveries;
  readonly home: string;
}

type Handler = (context: Context, place: Place) => Response | Promise<Response>;

const MAX_BODY = 65_536;
const failed = (
  context: Context,
  status: 401 | 403 | 404 | 409 | 422,
  message: string,
  errors?: readonly object[],
) =>
  context.json(
    { message, documentation_url: 'https://docs.github.com/rest', ...(errors && { errors }) },
    status,
  );
const notFound = (context: Context) => failed(context, 404, 'Not Found');
const bodyOf = async (context: Context): Promise<unknown> => context.req.json().catch(() => ({}));
const number = (context: Context, name: string) => Number(context.req.param(name));

/** The part of GitHub's REST API that the adapter uses, below `/api/v3`. */
export function createRest(parts: RestParts): Hono {
  const { world, shapes } = parts;
  const app = new Hono();
  /** Wraps a handler: the token must be good for the repository and hold the permission. */
  const allow = (permission: string, level: 'read' | 'write', handler: Handler) => (context: Context) => {
    const caller = identify(world, context.req.header('authorization') ?? null);
    if (caller.kind !== 'installation') return failed(context, 401, 'Bad credentials');
    const place = world.places.get(`${context.req.param('owner')}/${context.req.param('repo')}`);
    if (!place || !caller.token.repositories.has(place.id)) return notFound(context);
    if (!holds(caller.token, permission, level))
      return failed(context, 403, 'Resource not accessible by integration');
    return handler(context, place);
  };
  addApp(app, parts);
  const at = '/repos/:owner/:repo';
  app.get(
    at,
    allow('metadata', 'read', (context, place) => context.json(shapes.repository(place))),
  );
  app.get(
    `${at}/git/ref/heads/:branch{.+}`,
    allow('contents', 'read', (context, place) => readRef(context, place, parts)),
  );
  app.get(
    `${at}/contents/:path{.+}`,
    allow('contents', 'read', (context, place) => readContent(context, place, parts)),
  );
  app.get(
    `${at}/collaborators/:user/permission`,
    allow('metadata', 'read', (context, place) => readRole(context, place, parts)),
  );
  addIssues(app, parts, (...rest) => allow(...rest));
  addPulls(app, parts, (...rest) => allow(...rest));
  addChecks(app, parts, (...rest) => allow(...rest));
  return app;
}

type Allow = (
  permission: string,
  level: 'read' | 'write',
  handler: Handler,
) => (context: Context) => Response | Promise<Response>;

const TokenRequest = z.object({
  repository_ids: z.array(z.int()).optional(),
  permissions: z.record(z.string(), z.string()).optional(),
});
const GRANTED = {
  checks: 'write',
  contents: 'write',
  issues: 'write',
  metadata: 'read',
  pull_requests: 'write',
};

function addApp(app: Hono, { world, shapes }: RestParts): void {
  const asApp = (handler: (context: Context) => Response | Promise<Response>) => (context: Context) =>
    identify(world, context.req.header('authorization') ?? null).kind === 'app'
      ? handler(context)
      : failed(context, 401, 'A JSON web token could not be decoded');
  app.get(
    '/app',
    asApp((context) =>
      context.json({
        id: world.app?.id,
        slug: world.app?.slug,
        name: world.app?.slug,
        permissions: GRANTED,
        events: ['issues'],
      }),
    ),
  );
  app.get('/users/:login', (context) => {
    const person = world.people.get(context.req.param('login'));
    return person ? context.json(shapes.user(person)) : notFound(context);
  });
  app.post(
    '/app/installations/:id/access_tokens',
    asApp(async (context) => {
      if (number(context, 'id') !== world.app?.installation) return notFound(context);
      const { repository_ids: ids, permissions = GRANTED } = TokenRequest.parse(await bodyOf(context));
      const excess = Object.keys(permissions).filter((name) => !(name in GRANTED));
      if (excess.length > 0)
        return failed(context, 422, 'The permissions requested are not granted to this installation.');
      const repositories = new Set(ids ?? [...world.places.values()].map(({ id }) => id));
      const { token, expiresAt } = mintToken(world, { repositories, permissions });
      return context.json(
        {
          token,
          expires_at: new Date(expiresAt).toISOString(),
          permissions,
          repository_selection: 'selected',
        },
        201,
      );
    }),
  );
}

async function readRef(context: Context, place: Place, { home }: RestParts): Promise<Response> {
  const branch = context.req.param('branch') ?? '';
  const sha = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`], {
    cwd: place.folder,
    home,
  });
  if (sha === null) return notFound(context);
  return context.json({
    ref: `refs/heads/${branch}`,
    node_id: 'R',
    url: context.req.url,
    object: { type: 'commit', sha: sha.trim(), url: '' },
  });
}

async function readContent(context: Context, place: Place, { home }: RestParts): Promise<Response> {
  const path = context.req.param('path') ?? '';
  const text = await git(['show', `${context.req.query('ref') ?? 'HEAD'}:${path}`], {
    cwd: place.folder,
    home,
  });
  if (text === null) return notFound(context);
  const content = Buffer.from(text).toString('base64');
  return context.json({
    type: 'file',
    encoding: 'base64',
    size: text.length,
    name: path.split('/').at(-1),
    path,
    content,
    sha: '',
    url: '',
    git_url: null,
    html_url: null,
    download_url: null,
  });
}

function readRole(context: Context, place: Place, { world, shapes }: RestParts): Response {
  const person = world.people.get(context.req.param('user') ?? '');
  if (!person) return notFound(context);
  const role = place.roles.get(person.login) ?? 'none';
  const coarse = {
    none: 'none',
    read: 'read',
    triage: 'read',
    write: 'write',
    maintain: 'write',
    admin: 'admin',
  }[role];
  return context.json({ permission: coarse, role_name: role, user: shapes.user(person) });
}

const CommentBody = z.object({ body: z.string().min(1) });

function addIssues(app: Hono, { world, shapes, deliveries }: RestParts, allow: Allow): void {
  const at = '/repos/:owner/:repo/issues';
  app.get(
    `${at}/:n{[0-9]+}`,
    allow('issues', 'read', (context, place) => {
      const issue = place.issues.get(number(context, 'n'));
      return issue ? context.json(shapes.issue(place, issue)) : notFound(context);
    }),
  );
  app.get(
    `${at}/:n{[0-9]+}/comments`,
    allow('issues', 'read', (context, place) => {
      const issue = place.issues.get(number(context, 'n'));
      if (!issue) return notFound(context);
      const size = Math.min(100, Number(context.req.query('per_page') ?? 30));
      const from = (Number(context.req.query('page') ?? 1) - 1) * size;
      return context.json(
        issue.comments
          .slice(from, from + size)
          .map((comment) => shapes.comment(place, issue.number, comment)),
      );
    }),
  );
  app.post(
    `${at}/:n{[0-9]+}/comments`,
    allow('issues', 'write', async (context, place) => {
      const issue = place.issues.get(number(context, 'n'));
      const body = CommentBody.safeParse(await bodyOf(context)).data?.body;
      if (!issue || !world.app) return notFound(context);
      if (body === undefined || body.length > MAX_BODY)
        return failed(context, 422, 'Validation Failed', [
          { resource: 'IssueComment', field: 'body', code: 'custom' },
        ]);
      const now = world.now();
      const comment = { id: world.nextId(), author: world.app.bot, body, createdAt: now, updatedAt: now };
      issue.comments.push(comment);
      return context.json(shapes.comment(place, issue.number, comment), 201);
    }),
  );
  app.patch(
    `${at}/comments/:id{[0-9]+}`,
    allow('issues', 'write', async (context, place) => {
      const body = CommentBody.safeParse(await bodyOf(context)).data?.body;
      for (const issue of place.issues.values()) {
        const comment = issue.comments.find(({ id }) => id === number(context, 'id'));
        if (!comment || body === undefined) continue;
        if (body.length > MAX_BODY) return failed(context, 422, 'Validation Failed');
        Object.assign(comment, { body, updatedAt: world.now() });
        return context.json(shapes.comment(place, issue.number, comment));
      }
      return notFound(context);
    }),
  );
  app.delete(
    `${at}/:n{[0-9]+}/labels/:name`,
    allow('issues', 'write', (context, place) => {
      const issue = place.issues.get(number(context, 'n'));
      const label = decodeURIComponent(context.req.param('name') ?? '');
      if (!issue?.labels.delete(label) || !world.app) return failed(context, 404, 'Label does not exist');
      issue.updatedAt = world.now();
      void deliveries.issues('unlabeled', { place, issue, by: world.app.bot, label });
      return context.json([...issue.labels].map((name) => ({ name })));
    }),
  );
}

const PullRequest = z.object({
  title: z.string().max(256),
  head: z.string(),
  base: z.string(),
  body: z.string().max(MAX_BODY).default(''),
  draft: z.boolean().default(false),
});
const PullEdit = z.object({
  title: z.string().max(256).optional(),
  body: z.string().max(MAX_BODY).optional(),
});

function addPulls(app: Hono, { world, shapes, home }: RestParts, allow: Allow): void {
  const at = '/repos/:owner/:repo/pulls';
  const open = ({ pulls, owner }: Place, head: string | undefined, base: string | undefined): Pull[] =>
    [...pulls.values()].filter(
      (pull) =>
        pull.state === 'open' &&
        (!head || head === `${owner}:${pull.head}` || head === pull.head) &&
        (!base || base === pull.base),
    );
  app.get(
    at,
    allow('pull_requests', 'read', (context, place) => {
      const found = open(place, context.req.query('head'), context.req.query('base'));
      return context.json(found.map((pull) => shapes.pull(place, pull)));
    }),
  );
  app.post(
    at,
    allow('pull_requests', 'write', async (context, place) => {
      const asked = PullRequest.safeParse(await bodyOf(context)).data;
      if (!asked || !world.app) return failed(context, 422, 'Validation Failed');
      const { head, base, title, body, draft } = asked;
      if (open(place, head, base).length > 0)
        return failed(context, 422, 'Validation Failed', [
          {
            resource: 'PullRequest',
            code: 'custom',
            message: `A pull request already exists for ${place.owner}:${head}.`,
          },
        ]);
      const exists = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${head}`], {
        cwd: place.folder,
        home,
      });
      if (exists === null)
        return failed(context, 422, 'Validation Failed', [
          { resource: 'PullRequest', field: 'head', code: 'invalid' },
        ]);
      const now = world.now();
      const pull: Pull = {
        number: world.nextNumber(place),
        title,
        body,
        state: 'open',
        author: world.app.bot,
        createdAt: now,
        updatedAt: now,
        comments: [],
        head,
        base,
        draft,
      };
      place.pulls.set(pull.number, pull);
      return context.json(shapes.pull(place, pull), 201);
    }),
  );
  app.patch(
    `${at}/:n{[0-9]+}`,
    allow('pull_requests', 'write', async (context, place) => {
      const pull = place.pulls.get(number(context, 'n'));
      const edit = PullEdit.safeParse(await bodyOf(context)).data;
      if (!pull) return notFound(context);
      if (!edit) return failed(context, 422, 'Validation Failed');
      Object.assign(pull, {
        title: edit.title ?? pull.title,
        body: edit.body ?? pull.body,
        updatedAt: world.now(),
      });
      return context.json(shapes.pull(place, pull));
    }),
  );
}

const CheckBody = z.object({
  head_sha: z.string().default(''),
  name: z.string(),
  conclusion: z.string(),
  output: z.object({ title: z.string(), summary: z.string().max(MAX_BODY) }),
});

function addChecks(app: Hono, { world, shapes }: RestParts, allow: Allow): void {
  const at = '/repos/:owner/:repo';
  app.get(
    `${at}/commits/:sha/check-runs`,
    allow('checks', 'read', (context, { checks, ...place }) => {
      const name = context.req.query('check_name');
      const found = checks.filter(
        (check) => check.commit === context.req.param('sha') && (!name || name === check.name),
      );
      return context.json({
        total_count: found.length,
        check_runs: found.map((check) => shapes.check({ checks, ...place }, check)),
      });
    }),
  );
  app.post(
    `${at}/check-runs`,
    allow('checks', 'write', async (context, place) => {
      const asked = CheckBody.safeParse(await bodyOf(context)).data;
      if (!asked) return failed(context, 422, 'Validation Failed');
      const { head_sha: commit, name, conclusion, output } = asked;
      const check: Check = { id: world.nextId(), commit, name, conclusion, ...output };
      place.checks.push(check);
      return context.json(shapes.check(place, check), 201);
    }),
  );
  app.patch(
    `${at}/check-runs/:id{[0-9]+}`,
    allow('checks', 'write', async (context, place) => {
      const check = place.checks.find(({ id }) => id === number(context, 'id'));
      const edit = CheckBody.safeParse(await bodyOf(context)).data;
      if (!check || !edit) return notFound(context);
      Object.assign(check, { conclusion: edit.conclusion, ...edit.output });
      return context.json(shapes.check(place, check));
    }),
  );
}
