import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { holds, identify } from './access.ts';
import { git } from './git-backend.ts';
import { addIssues } from './rest-issues.ts';
import { bodyOf, failed, type Handler, notFound, number, type RestParts } from './rest-parts.ts';
import { addChecks, addPulls } from './rest-pulls.ts';
import { mintToken, type Place } from './world.ts';

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
  app.get(
    '/repos/:owner/:repo/installation',
    asApp((context) => {
      if (!world.places.has(`${context.req.param('owner')}/${context.req.param('repo')}`))
        return notFound(context);
      return context.json(shapes.installation(GRANTED));
    }),
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
