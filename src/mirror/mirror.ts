import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Fault, type FaultCode, fault } from '../errors.ts';
import type { Git } from '../git.ts';
import type { Log } from '../log.ts';
import { discard, dropLeftovers, evict } from './disk.ts';
import { fetchCommit, WHOLE_HISTORY } from './fetch.ts';
import { type FreshAccess, withFreshAccess } from './fresh-access.ts';
import { waitForLock } from './lock.ts';

export interface MirrorsOptions {
  readonly git: Git;
  readonly log: Log;
  /** Cache folder, one of those that `createGit` was given. Shared by processes; may be deleted while none runs. */
  readonly folder: string;
  /** All mirrors together; the least recently used go first, one in use never. Default 20 GiB. */
  readonly maxBytes?: number;
  /** One repository: packed, on disk. Default 2 GiB. */
  readonly maxRepositoryBytes?: number;
  /** Default 20 minutes. */
  readonly fetchTimeoutMs?: number;
  /** A process that died leaves its mirror locked for so long. Default 15 s, at least 2 s. */
  readonly lockStaleMs?: number;
}

interface CallOptions {
  readonly signal: AbortSignal;
}

/** A repository as the forge knows it, whatever its present name. */
export interface MirrorKey {
  readonly forge: string;
  readonly repositoryId: number;
}

/** A bare copy of what was needed of a repository so far, the caller's alone. */
export interface Mirror {
  /** The bare repository's folder. */
  readonly path: string;
  has(commit: string, options: CallOptions): Promise<boolean>;
  /**
   * Fetches this commit with its tree and files, without history or tags, unless it is here already.
   * Faults: `forge_*`, `repository_too_large`, `repository_invalid`, `git_failed`.
   */
  ensureCommit(commit: string, access: FreshAccess, options: CallOptions): Promise<void>;
  /** Fetches the commit's whole history. */
  ensureHistory(commit: string, access: FreshAccess, options: CallOptions): Promise<void>;
}

export interface Mirrors {
  /** Makes or finds the repository's mirror and keeps it for the caller, alone across processes, while `body` works. */
  use<T>(key: MirrorKey, body: (mirror: Mirror) => Promise<T>, options: CallOptions): Promise<T>;
}

const GIB = 1024 ** 3;
const COMMIT_ID = /^[0-9a-f]{40}$/;

/** Failures that an old mirror may be the cause of: damage, or the packs of very many fetches. */
const MENDED_BY_NEW_MIRROR: ReadonlySet<FaultCode> = new Set([
  'git_failed',
  'repository_invalid',
  'repository_too_large',
]);

/** The cache of mirrors in one folder. */
export function createMirrors(options: MirrorsOptions): Mirrors {
  const { git, log, folder, maxBytes = 20 * GIB, lockStaleMs = 15_000 } = options;
  const lock = { log, staleMs: lockStaleMs };
  return {
    async use({ forge, repositoryId }, body, { signal }) {
      const place = path.join(folder, `${forge}-${repositoryId}.git`);
      const unlock = await waitForLock(place, lock, { signal });
      try {
        await openRepository(git, place, { signal });
        return await body(toMirror(place, options));
      } finally {
        await unlock();
        await evict({ folder, maxBytes, log, lock }).catch((err: unknown) =>
          log.warn({ err }, 'mirror cache not trimmed'),
        );
      }
    },
  };
}

/** Makes the repository, or mends what a killed process left of it. */
async function openRepository(git: Git, place: string, { signal }: CallOptions): Promise<void> {
  await mkdir(place, { recursive: true, mode: 0o700 });
  await dropLeftovers(place);
  await git.run(
    { cwd: place, args: ['init', '--quiet', '--bare', '--template=', '--object-format=sha1'] },
    { signal },
  );
  await writeFile(path.join(place, 'used'), '');
}

function toMirror(place: string, options: MirrorsOptions): Mirror {
  const { git, log, maxRepositoryBytes = 2 * GIB, fetchTimeoutMs = 1_200_000 } = options;

  const fetchAt = (depth: number) => (commit: string, access: FreshAccess, call: CallOptions) =>
    withFreshAccess(
      access,
      (fresh) =>
        fetchCommit(
          git,
          {
            repository: place,
            commit,
            depth,
            access: fresh,
            maxBytes: maxRepositoryBytes,
            timeoutMs: fetchTimeoutMs,
          },
          call,
        ),
      call,
    );
  const fetchAlone = fetchAt(1);

  return {
    path: place,
    has: (commit, call) => hasCommit(git, { place, commit }, call),
    async ensureCommit(commit, access, call) {
      if (!COMMIT_ID.test(commit)) throw fault('internal', { detail: 'the base commit is no commit id' });
      if (await hasCommit(git, { place, commit }, call)) return;
      const wasUsed = (await readdir(path.join(place, 'objects', 'pack')).catch(() => [])).length > 0;
      try {
        await fetchAlone(commit, access, call);
      } catch (thrown) {
        const mend = wasUsed && thrown instanceof Fault && MENDED_BY_NEW_MIRROR.has(thrown.code);
        if (!mend || call.signal.aborted) throw thrown;
        log.warn({ err: thrown }, 'mirror made anew');
        await discard(place);
        await openRepository(git, place, call);
        await fetchAlone(commit, access, call);
      }
    },
    ensureHistory: fetchAt(WHOLE_HISTORY),
  };
}

async function hasCommit(
  git: Git,
  { place, commit }: { readonly place: string; readonly commit: string },
  { signal }: CallOptions,
): Promise<boolean> {
  const { exitCode } = await git.run(
    { cwd: place, args: ['cat-file', '-e', `${commit}^{commit}`], accept: [1, 128] },
    { signal },
  );
  return exitCode === 0;
}
