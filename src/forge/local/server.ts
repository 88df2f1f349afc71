import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { holds, identify } from './access.ts';
import { createShapes } from './answers.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import { answerGit } from './git-backend.ts';
import { createPages } from './pages.ts';
import { createRest } from './rest.ts';
import { createSeeding, type Origin } from './seeding.ts';
import { createWorld, type Person, type Place, type Role, registerApp, type World } from './world.ts';

/** A forge like GitHub Enterprise Server in this process: REST, git over HTTP, signed webhooks, pages. */
export interface LocalForge {
  readonly url: string;
  readonly world: World;
  readonly deliveries: Deliveries;
  createUser(login: string): Person;
  createRepository(options: {
    readonly owner: string;
    readonly name: string;
    readonly from: Origin;
  }): Promise<Place>;
  setPermission(repository: string, login: string, role: Role): void;
  openIssue(
    repository: string,
    issue: { readonly title: string; readonly body: string; readonly author: string },
  ): number;
  /** Sets a label as a person does, and delivers that. */
  label(
    repository: string,
    issue: number,
    options: { readonly label: string; readonly by: string },
  ): Promise<void>;
  unlabel(
    repository: string,
    issue: number,
    options: { readonly label: string; readonly by: string },
  ): Promise<void>;
  closeIssue(repository: string, issue: number, options: { readonly by: string }): Promise<void>;
  registerApp(options: {
    readonly slug: string;
    readonly webhookUrl: string;
    readonly webhookSecret: string;
  }): ReturnType<typeof registerApp>;
  close(): Promise<void>;
}

export interface LocalForgeOptions {
  /** For the bare repositories. */
  readonly dataFolder: string;
  readonly host?: string;
  /** 0 = any free one. */
  readonly port?: number;
}

/** Starts the forge; it is empty. */
export async function startLocalForge({
  dataFolder,
  host = '127.0.0.1',
  port = 0,
}: LocalForgeOptions): Promise<LocalForge> {
  await mkdir(dataFolder, { recursive: true });
  const world = createWorld();
  let url = '';
  const shapes = createShapes(world, () => url);
  const deliveries = createDeliveries(world, shapes);
  const server = createAdaptorServer({
    fetch: createRoutes({ world, shapes, deliveries, home: dataFolder }).fetch,
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  url = `http://${host}:${typeof address === 'object' && address !== null ? address.port : port}`;
  return {
    url,
    world,
    deliveries,
    ...createSeeding(world, { deliveries, dataFolder }),
    registerApp: (options) => registerApp(world, options),
    async close() {
      await deliveries.settled();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

function createRoutes(parts: Parameters<typeof createRest>[0]): Hono {
  const { world, home } = parts;
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    world.journal.push({ method: context.req.method, path: context.req.path, status: context.res.status });
  });
  app.all('/:owner/:repo{.+\\.git}/*', async (context) => {
    const place = world.places.get(`${context.req.param('owner')}/${context.req.param('repo').slice(0, -4)}`);
    const caller = identify(world, context.req.header('authorization') ?? null);
    if (caller.kind !== 'installation')
      return context.text('Authentication required', 401, { 'www-authenticate': 'Basic realm="local"' });
    if (!place || !caller.token.repositories.has(place.id)) return context.notFound();
    const writes =
      context.req.path.endsWith('/git-receive-pack') || context.req.query('service') === 'git-receive-pack';
    if (!holds(caller.token, 'contents', writes ? 'write' : 'read'))
      return context.text('Write access to repository not granted.', 403);
    const path = context.req.path.slice(context.req.path.indexOf('.git/') + 4);
    return answerGit({
      request: context.req.raw,
      folder: place.folder,
      path,
      home,
      user: world.app?.bot.login ?? '',
    });
  });
  app.route('/api/v3', createRest(parts));
  app.route('/', createPages(world, home));
  return app;
}
