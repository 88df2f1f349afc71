import { Fault, fault } from '../errors.ts';
import type { GitAccess } from '../forge/types.ts';
import { toGitFault } from '../git/failure.ts';
import type { Git } from '../git.ts';
import { type FreshAccess, withFreshAccess } from '../mirror/fresh-access.ts';
import { type PushAnswer, parsePushAnswer } from './push-answer.ts';

export interface PushRequest {
  readonly repository: string;
  readonly commit: string;
  /** Short name of the branch, ours. */
  readonly branch: string;
  readonly access: FreshAccess;
  /** Called right before each try. */
  readonly fence: () => Promise<void>;
}

interface CallOptions {
  readonly signal: AbortSignal;
}

/** `raced` and `unknown` are settled by asking the forge what the branch is now. */
export type Pushed = Exclude<PushAnswer, { readonly kind: 'raced' | 'unknown' }>;

const TIMEOUT_MS = 10 * 60_000;

/**
 * Creates the branch on the forge with our commit, never over anything that is there: the empty lease lets only a push
 * through that creates it (T48). An answer that was lost is looked up, not repeated blindly (case E11).
 * Faults: `forge_*`, `git_failed`, and the fence's.
 */
export async function pushBranch(git: Git, request: PushRequest, { signal }: CallOptions): Promise<Pushed> {
  return withFreshAccess(
    request.access,
    async (access) => {
      await request.fence();
      const answer = await pushOnce(git, { ...request, access }, { signal }).catch((thrown: unknown) => {
        if (thrown instanceof Fault && thrown.code !== 'forge_unauthorized') return thrown;
        throw thrown;
      });
      if (!(answer instanceof Fault) && answer.kind !== 'raced' && answer.kind !== 'unknown') return answer;
      signal.throwIfAborted();
      return settle(git, { ...request, access, answer }, { signal });
    },
    { signal },
  );
}

type OnePush = Omit<PushRequest, 'access'> & { readonly access: GitAccess };

async function pushOnce(
  git: Git,
  { repository, commit, branch, access }: OnePush,
  { signal }: CallOptions,
): Promise<PushAnswer> {
  const ref = `refs/heads/${branch}`;
  const { exitCode, stdout, stderr } = await git.run(
    {
      cwd: repository,
      args: [
        'push',
        '--porcelain',
        '--no-verify',
        '--no-follow-tags',
        '--no-progress',
        '--recurse-submodules=no',
        `--force-with-lease=${ref}:`,
        '--end-of-options',
        access.url,
        `${commit}:${ref}`,
      ],
      access,
      accept: [1],
      timeoutMs: TIMEOUT_MS,
    },
    { signal },
  );
  const answer = parsePushAnswer(stdout.toString('utf8'), stderr);
  if (answer.kind === 'unknown' && exitCode !== 0)
    throw toGitFault({ command: 'push', exitCode, stderr, host: URL.parse(access.url)?.host ?? null });
  return answer;
}

/** What an unclear push came to, by what the forge says the branch is now. */
async function settle(
  git: Git,
  { repository, commit, branch, access, answer }: OnePush & { readonly answer: Fault | PushAnswer },
  { signal }: CallOptions,
): Promise<Pushed> {
  const now = await readBranch(git, { repository, branch, access }, { signal }).catch((thrown: unknown) => {
    // The push's own trouble says more than that of the question after it.
    throw answer instanceof Fault ? answer : thrown;
  });
  if (now === commit) return { kind: 'done' };
  if (now !== null) return { kind: 'refused', code: 'branch_taken', said: '' };
  if (answer instanceof Fault) throw answer;
  throw fault('git_failed', { detail: 'the push ended without the branch being there', retryable: true });
}

/** The branch's commit on the forge; null when there is no such branch. */
async function readBranch(
  git: Git,
  {
    repository,
    branch,
    access,
  }: { readonly repository: string; readonly branch: string; readonly access: GitAccess },
  { signal }: CallOptions,
): Promise<string | null> {
  const { stdout } = await git.run(
    {
      cwd: repository,
      args: ['ls-remote', '--refs', '--end-of-options', access.url, `refs/heads/${branch}`],
      access,
      timeoutMs: TIMEOUT_MS,
    },
    { signal },
  );
  return /^(?<id>[0-9a-f]{40})\t/.exec(stdout.toString('latin1'))?.groups?.id ?? null;
}
