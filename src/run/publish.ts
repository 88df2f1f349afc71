import { fault } from '../errors.ts';
import type { Forge } from '../forge/types.ts';
import { indexPack, withTemporaryRepository } from '../git/temporary-repository.ts';
import type { Git } from '../git.ts';
import type { FreshAccess } from '../mirror/fresh-access.ts';
import type { Mirror, Mirrors } from '../mirror/mirror.ts';
import { askAgain, type Withdrawal } from '../publish/ask-again.ts';
import { writeCommit } from '../publish/commit.ts';
import { type Pushed, pushBranch } from '../publish/push.ts';
import type { PushRefusal } from '../publish/push-answer.ts';
import type { Artifacts, Run } from '../store/types.ts';
import { branchName } from './branch-name.ts';
import type { Held } from './lease.ts';
import type { Change, Prepared, Published } from './types.ts';

export interface PublishDeps {
  readonly git: Git;
  readonly mirrors: Mirrors;
  readonly forge: Pick<
    Forge,
    'gitAccess' | 'ensureDraft' | 'readIdentity' | 'readRepository' | 'readIssue' | 'readPermission'
  >;
  readonly artifacts: Pick<Artifacts, 'open'>;
  /** For temporary repositories; one of the folders that `createGit` was given. */
  readonly folder: string;
  /** Waits for a token that the forge does not know yet, ms. */
  readonly accessDelaysMs?: readonly number[];
}

/** Title and body of the draft, neutralised. The title is the commit's first line too. */
export interface DraftTexts {
  readonly title: string;
  readonly body: string;
}

export type PublishRefusal = Withdrawal | PushRefusal;

export type Publication =
  | {
      readonly kind: 'published';
      readonly published: Published;
      /** The default branch has moved since the run's base: the draft may conflict with it (case E09). */
      readonly baseMoved: boolean;
    }
  | {
      readonly kind: 'refused';
      readonly code: PublishRefusal;
      /** Values for the comment; `said` is the forge's own reason, hostile and capped at 1000 bytes. */
      readonly details: Readonly<Record<string, string>>;
    };

interface CallOptions {
  readonly signal: AbortSignal;
}

/**
 * The publish stage: asks again whether the run is still wanted, makes the commit from the stored change, creates the
 * branch, opens the draft. Repeating it, at any point, makes nothing twice: commit and branch are functions of the run.
 * `fence` is called before every write, and the diary of effects is written around it.
 * Faults: `forge_*`, `git_failed`, `artifact_missing`, `lease_lost`.
 */
export async function publish(
  deps: PublishDeps,
  {
    held,
    texts,
  }: { readonly held: Pick<Held, 'run' | 'fence' | 'recordEffect'>; readonly texts: DraftTexts },
  { signal }: CallOptions,
): Promise<Publication> {
  const { forge } = deps;
  const { run, fence, recordEffect } = held;
  const { trigger } = run;
  const { prepared, change } = finishedParts(run);
  const standing = await askAgain(forge, trigger, { signal });
  if (standing.kind === 'withdrawn')
    return { kind: 'refused', code: standing.code, details: standing.details };

  const branch = branchName({ issue: trigger.issue, runId: run.id });
  await recordEffect('branch', null);
  const job = { run, prepared, change, branch, title: texts.title, host: standing.host, fence };
  const { commit, pushed } = await deps.mirrors.use(
    { forge: trigger.forge, repositoryId: trigger.repository.id },
    (mirror) => pushChange(deps, { ...job, mirror }, { signal }),
    { signal },
  );
  if (pushed.kind === 'refused')
    return { kind: 'refused', code: pushed.code, details: { branch, said: pushed.said } };
  await recordEffect('branch', branch);

  await recordEffect('draft', null);
  await fence();
  const request = { head: branch, base: prepared.base.branch, ...texts };
  const { number, webUrl } = await forge.ensureDraft(trigger.repository, request, { signal });
  await recordEffect('draft', String(number));
  const baseMoved = standing.head !== prepared.base.commit;
  return { kind: 'published', published: { branch, commit, draft: { number, webUrl } }, baseMoved };
}

type Changed = Extract<Change, { readonly kind: 'changed' }>;

function finishedParts({ prepared, worked }: Run): { readonly prepared: Prepared; readonly change: Changed } {
  if (prepared !== null && worked?.change.kind === 'changed') return { prepared, change: worked.change };
  throw fault('internal', { detail: 'publish was called for a run without a change' });
}

interface PushJob {
  readonly run: Run;
  readonly prepared: Prepared;
  readonly change: Changed;
  readonly branch: string;
  readonly title: string;
  readonly host: string;
  readonly fence: () => Promise<void>;
  readonly mirror: Mirror;
}

interface PushResult {
  readonly commit: string;
  readonly pushed: Exclude<Pushed, { readonly kind: 'needs_history' }>;
}

/** Pushes with the base's parents unknown; with its history where the forge asks for it, as after a force-push (E09). */
async function pushChange(deps: PublishDeps, job: PushJob, { signal }: CallOptions): Promise<PushResult> {
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
async function pushFrom(deps: PublishDeps, job: PushSource, { signal }: CallOptions) {
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
