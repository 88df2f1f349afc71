import { fault } from '../errors.ts';
import type { Forge } from '../forge/types.ts';
import type { Mirrors } from '../mirror/mirror.ts';
import { askAgain, type Withdrawal } from '../publish/ask-again.ts';
import type { PushRefusal } from '../publish/push-answer.ts';
import { type ChangedTree, type PushChangeDeps, pushChange } from '../publish/push-change.ts';
import type { Run } from '../store/types.ts';
import { branchName } from './branch-name.ts';
import type { Held } from './lease.ts';
import type { Prepared, Published } from './types.ts';

export interface PublishDeps extends PushChangeDeps {
  readonly mirrors: Mirrors;
  readonly forge: PushChangeDeps['forge'] &
    Pick<Forge, 'ensureDraft' | 'readRepository' | 'readIssue' | 'readPermission'>;
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

function finishedParts({ prepared, worked }: Run): {
  readonly prepared: Prepared;
  readonly change: ChangedTree;
} {
  if (prepared !== null && worked?.change.kind === 'changed') return { prepared, change: worked.change };
  throw fault('internal', { detail: 'publish was called for a run without a change' });
}
