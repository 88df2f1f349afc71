import { once } from 'node:events';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { holds, identify } from './access.ts';
import { createShapes } from './answers.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import { answerGit, git } from './git-backend.ts';
import { createPages } from './pages.ts';
import { createRest } from './rest.ts';
import {
  createWorld,
  type Person,
  type Place,
  type Role,
  registerApp,
  type Ticket,
  type World,
} from './world.ts';

/** A repository's first content. */
export type Origin =
  /** The files of a folder become the first commit. */
  | { readonly kind: 'folder'; readonly path: string }
  /** A clone of a repository on this machine, which is never written to. */
  | { readonly kind: 'clone'; readonly path: string };

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

interface SeedingParts {
  readonly deliveries: Deliveries;
  readonly dataFolder: string;
}

function createSeeding(world: World, { deliveries, dataFolder }: SeedingParts) {
  const person = (login: string): Person => {
    const known = world.people.get(login) ?? { id: world.nextId(), login, kind: 'User' as const };
    world.people.set(login, known);
    return known;
  };
  const find = (repository: string): Place => {
    const place = world.places.get(repository);
    if (!place) throw new Error(`no repository ${repository} on the local forge`);
    return place;
  };
  const findIssue = (repository: string, number: number): Ticket => {
    const issue = find(repository).issues.get(number);
    if (!issue) throw new Error(`no issue ${number} in ${repository} on the local forge`);
    return issue;
  };
  const act = async (
    repository: string,
    number: number,
    { by, action, label }: { by: string; action: string; label?: string },
  ) => {
    const issue = findIssue(repository, number);
    issue.updatedAt = world.now();
    await deliveries.issues(action, {
      place: find(repository),
      issue,
      by: person(by),
      ...(label !== undefined && { label }),
    });
  };
  return {
    createUser: person,
    async createRepository({
      owner,
      name,
      from,
    }: {
      owner: string;
      name: string;
      from: Origin;
    }): Promise<Place> {
      const folder = join(dataFolder, owner, `${name}.git`);
      const defaultBranch = await fill(folder, from, dataFolder);
      const place: Place = {
        id: world.nextId(),
        owner,
        name,
        folder,
        defaultBranch,
        archived: false,
        roles: new Map(),
        issues: new Map(),
        pulls: new Map(),
        checks: [],
      };
      world.places.set(`${owner}/${name}`, place);
      return place;
    },
    setPermission: (repository: string, login: string, role: Role) =>
      void find(repository).roles.set(login, role),
    openIssue(
      repository: string,
      { title, body, author }: { title: string; body: string; author: string },
    ): number {
      const place = find(repository);
      const [number, now] = [world.nextNumber(place), world.now()];
      place.issues.set(number, {
        number,
        title,
        body,
        state: 'open',
        author: person(author),
        createdAt: now,
        updatedAt: now,
        labels: new Set(),
        comments: [],
      });
      return number;
    },
    async label(repository: string, issue: number, { label, by }: { label: string; by: string }) {
      findIssue(repository, issue).labels.add(label);
      await act(repository, issue, { by, action: 'labeled', label });
    },
    async unlabel(repository: string, issue: number, { label, by }: { label: string; by: string }) {
      findIssue(repository, issue).labels.delete(label);
      await act(repository, issue, { by, action: 'unlabeled', label });
    },
    async closeIssue(repository: string, issue: number, { by }: { by: string }) {
      findIssue(repository, issue).state = 'closed';
      await act(repository, issue, { by, action: 'closed' });
    },
  };
}

/** Makes the bare repository; resolves to its default branch. */
async function fill(folder: string, from: Origin, home: string): Promise<string> {
  const must = async (args: readonly string[], cwd: string) => {
    const out = await git(args, { cwd, home });
    if (out === null)
      throw new Error(`git ${args[0]} failed while the local forge made a repository of ${from.path}`);
    return out.trim();
  };
  await mkdir(folder, { recursive: true });
  if (from.kind === 'clone') {
    await must(
      ['-c', 'safe.directory=*', 'clone', '--quiet', '--bare', '--no-hardlinks', '--', from.path, folder],
      home,
    );
    return must(['symbolic-ref', '--short', 'HEAD'], folder);
  }
  const work = `${folder}.work`;
  await cp(from.path, work, { recursive: true });
  await must(['-c', 'init.defaultBranch=main', 'init', '--quiet'], work);
  await must(['add', '--all'], work);
  await must(['commit', '--quiet', '--message', 'First version'], work);
  await must(['clone', '--quiet', '--bare', '--no-hardlinks', work, folder], home);
  await rm(work, { recursive: true, force: true });
  return 'main';
}
