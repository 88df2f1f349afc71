import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deliveries } from './deliveries.ts';
import { git } from './git-backend.ts';
import type { Person, Place, Role, Ticket, World } from './world.ts';

/** A repository's first content. */
export type Origin =
  /** The files of a folder become the first commit. */
  | { readonly kind: 'folder'; readonly path: string }
  /** A clone of a repository on this machine, which is never written to. */
  | { readonly kind: 'clone'; readonly path: string };

export interface SeedingParts {
  readonly deliveries: Deliveries;
  readonly dataFolder: string;
}

/** What tests and `tadpole try` fill the forge with, as people would. */
export function createSeeding(world: World, { deliveries, dataFolder }: SeedingParts) {
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
