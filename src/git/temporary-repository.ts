import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import type { Git } from '../git.ts';

export interface TemporaryRepositories {
  readonly git: Git;
  /** Folder for them, one of those that `createGit` was given; made when absent. */
  readonly folder: string;
}

interface CallOptions {
  readonly signal: AbortSignal;
}

export interface TemporaryRepositoryOptions extends CallOptions {
  /** Commits whose parents are not there. */
  readonly shallow?: readonly string[];
  /** Object folder of another repository to read from; what is new is written here only. */
  readonly borrowFrom?: string;
}

/** Owner in the name, so that whoever comes later can tell whether the repository is still in use. */
const PREFIX = `repo-${Buffer.from(hostname()).toString('hex').slice(0, 24)}-`;
const DAY_MS = 24 * 3600_000;

/** A bare repository of our own for the time of `body`, gone afterwards in every ending. */
export async function withTemporaryRepository<T>(
  { git, folder }: TemporaryRepositories,
  { signal, shallow = [], borrowFrom }: TemporaryRepositoryOptions,
  body: (repository: string) => Promise<T>,
): Promise<T> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const repository = await mkdtemp(path.join(folder, `${PREFIX}${process.pid}-`));
  try {
    await git.run(
      { cwd: repository, args: ['init', '--quiet', '--bare', '--template=', '--object-format=sha1'] },
      { signal },
    );
    await neutralizeAttributes(repository);
    if (shallow.length > 0) await writeFile(path.join(repository, 'shallow'), `${shallow.join('\n')}\n`);
    if (borrowFrom !== undefined)
      await writeFile(path.join(repository, 'objects', 'info', 'alternates'), `${borrowFrom}\n`);
    return await body(repository);
  } finally {
    await rm(repository, { recursive: true, force: true });
  }
}

/** No attribute of the tree means anything here: no conversion, no text conversion for diffs, no merge or filter drivers. */
async function neutralizeAttributes(repository: string): Promise<void> {
  await mkdir(path.join(repository, 'info'), { recursive: true });
  await mkdir(path.join(repository, 'objects', 'info'), { recursive: true });
  await writeFile(path.join(repository, 'info', 'attributes'), '* !diff -text -filter -ident -eol\n');
}

/** Writes a pack into the repository, every object checked. Faults: `repository_invalid`, `git_failed`. */
export async function indexPack(
  git: Git,
  { cwd, pack }: { readonly cwd: string; readonly pack: AsyncIterable<Uint8Array> },
  { signal }: CallOptions,
): Promise<void> {
  await git.run({ cwd, args: ['index-pack', '--stdin', '--strict'], stdin: pack }, { signal });
}

/** Removes repositories that a killed process left: those of dead processes of this machine, and any older than a day. */
export async function sweepTemporaryRepositories(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const removed: string[] = [];
  for (const name of names) {
    if (!name.startsWith('repo-')) continue;
    const place = path.join(folder, name);
    if (isInUse(name) && !(await isOlderThan(place, DAY_MS))) continue;
    await rm(place, { recursive: true, force: true });
    removed.push(name);
  }
  return removed;
}

function isInUse(name: string): boolean {
  // Another machine's processes can't be asked.
  if (!name.startsWith(PREFIX)) return true;
  const pid = Number(name.slice(PREFIX.length).split('-')[0]);
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function isOlderThan(place: string, ageMs: number): Promise<boolean> {
  const facts = await stat(place).catch(() => null);
  return facts !== null && Date.now() - facts.mtimeMs > ageMs;
}
