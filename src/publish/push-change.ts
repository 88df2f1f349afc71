import { fault } from '../errors.ts';
import type { Forge } from '../forge/types.ts';
import { indexPack, withTemporaryRepository } from '../git/temporary-repository.ts';
import type { Git } from '../git.ts';
import type { FreshAccess } from '../mirror/fresh-access.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { Change, Prepared } from '../run/types.ts';
import type { Artifacts, Run } from '../store/types.ts';
import { writeCommit } from './commit.ts';
import { type Pushed, pushBranch } from './push.ts';

export interface PushChangeDeps {
  readonly git: Git;
  readonly forge: Pick<Forge, 'gitAccess' | 'readIdentity'>;
  readonly artifacts: Pick<Artifacts, 'open'>;
  /** For temporary repositories; one of the folders that `createGit` was given. */
  readonly folder: string;
  /** Waits for a token that the forge does not know yet, ms. */
  readonly accessDelaysMs?: readonly number[];
}

interface CallOptions {
  readonly signal: AbortSignal;
}

/** A change that there is something of to push. */
export type ChangedTree = Extract<Change, { readonly kind: 'changed' }>;

export interface PushJob {
  readonly run: Run;
  readonly prepared: Prepared;
  readonly change: ChangedTree;
  readonly branch: string;
  readonly title: string;
  readonly host: string;
  readonly fence: () => Promise<void>;
  readonly mirror: Mirror;
}

export interface PushResult {
  readonly commit: string;
  readonly pushed: Exclude<Pushed, { readonly kind: 'needs_history' }>;
}

/** Pushes with the base's parents unknown; with its history where the forge asks for it, as after a force-push (E09). */
export async function pushChange(
  deps: PushChangeDeps,
  job: PushJob,
  { signal }: CallOptions,
): Promise<PushResult> {
  const { run, mirror, prepared } = job;
  const { repository } = run.trigger;
  const accessFor = (kind: 'read' | 'write'): FreshAccess => ({
    mint: () => deps.forge.gitAccess(repository, kind, { signal }),
    ...(deps.accessDelaysMs && { delaysMs: deps.accessDelaysMs }),
  });
  const shallow = await pushFrom(deps, { ...job, access: accessFor('write'), shallow: true }, { signal });
  if (shallow.pushed.kind !== 'needs_history') return { commit: shallow.commit, pushed: shallow.pushed };
  await mirror.ensureHistory(prepared.base.commit, accessFor('read'), { signal });
  const whole = await pushFrom(deps, { ...job, access: accessFor('write'), shallow: false }, { signal });
  if (whole.pushed.kind !== 'needs_history') return { commit: whole.commit, pushed: whole.pushed };
  throw fault('git_failed', { detail: 'the forge asks for history that it does not have', retryable: false });
}

type PushSource = PushJob & { readonly access: FreshAccess; readonly shallow: boolean };

/** Makes the commit in a repository of its own, which reads the mirror's objects and adds nothing to them. */
async function pushFrom(deps: PushChangeDeps, job: PushSource, { signal }: CallOptions) {
  const { git, artifacts, folder } = deps;
  const { mirror, prepared, change, run } = job;
  const { base } = prepared;
  const options = { signal, borrowFrom: `${mirror.path}/objects`, shallow: job.shallow ? [base.commit] : [] };
  return withTemporaryRepository({ git, folder }, options, async (repository) => {
    if (!(await mirror.has(base.commit, { signal })))
      await indexPack(git, { cwd: repository, pack: await artifacts.open(prepared.pack) }, { signal });
    await indexPack(git, { cwd: repository, pack: await artifacts.open(change.pack) }, { signal });
    const commit = await writeCommit(
      git,
      {
        repository,
        tree: change.tree,
        base: base.commit,
        title: job.title,
        runId: run.id,
        date: run.createdAt,
        bot: await deps.forge.readIdentity({ signal }),
        requester: run.trigger.sender,
        host: job.host,
      },
      { signal },
    );
    const { branch, access, fence } = job;
    return {
      commit,
      pushed: await pushBranch(git, { repository, commit, branch, access, fence }, { signal }),
    };
  });
}
