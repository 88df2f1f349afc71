import { fault } from '../errors.ts';
import type {
  Actor,
  FileRead,
  Forge,
  Issue,
  Permission,
  RepositoryFacts,
  RepositoryRef,
} from '../forge/types.ts';
import type { Run, Store } from '../store/types.ts';
import { mayWrite } from './may-write.ts';
import type { PolicySource } from './types.ts';

/** Where a repository may keep its policy, in the order in which we look. */
export const POLICY_PATHS = ['.github/tadpole.yml', '.gitea/tadpole.yml', '.tadpole.yml'] as const;

/** The policy's text, or why it can't be read though it is there. */
export type FoundPolicy = { readonly source: PolicySource } & (
  | { readonly text: string }
  | { readonly unreadable: Extract<FileRead, { kind: 'unreadable' }>['why'] }
);

/** Everything that admission decides on, fetched once. */
export interface Facts {
  readonly identity: Actor;
  readonly repository: RepositoryFacts | null;
  readonly issue: Issue | null;
  readonly permission: Permission;
  readonly policy: FoundPolicy | null;
  /** Admitted runs in this repository in the last 24 hours, without this one. */
  readonly runsToday: number;
  /** Admitted runs for this issue in the last hour, without this one. */
  readonly runsThisHour: number;
}

export interface FactsDeps {
  readonly forge: Pick<
    Forge,
    'readIdentity' | 'readRepository' | 'readIssue' | 'readPermission' | 'readFile' | 'readMissingPermissions'
  >;
  readonly store: Pick<Store, 'countRuns'>;
  /** Text of the server's policy for repositories that have none; null = such repositories are refused. */
  readonly defaultPolicy: string | null;
  readonly now: () => Date;
}

const HOUR_MS = 3_600_000;

/** Asks forge and store for the facts of one run. Faults: `forge_*`, `store_unavailable`. */
export async function gatherFacts(
  deps: FactsDeps,
  run: Run,
  { signal }: { readonly signal: AbortSignal },
): Promise<Facts> {
  const { forge, store, now } = deps;
  const { repository: ref, issue: number, sender, forge: name } = run.trigger;
  const identity = await forge.readIdentity({ signal });
  const repository = await forge.readRepository(ref, { signal });
  const issue = repository && (await forge.readIssue(ref, number, { signal }));
  const permission = repository ? await forge.readPermission(ref, sender.login, { signal }) : 'none';
  // Strangers are told nothing of how Tadpole is installed.
  if (repository && mayWrite(permission)) await assertGranted(forge, ref, signal);
  const policy = repository?.head ? await readPolicy(deps, { ref, commit: repository.head }, signal) : null;
  const since = (ms: number) => new Date(now().getTime() - ms);
  const scope = { forge: name, repositoryId: ref.id, exceptRun: run.id };
  return {
    identity,
    repository,
    issue,
    permission,
    policy,
    runsToday: await store.countRuns({ ...scope, since: since(24 * HOUR_MS) }),
    runsThisHour: await store.countRuns({ ...scope, issue: number, since: since(HOUR_MS) }),
  };
}

/** What was not granted would be missed only after the model's work: at the push or at the draft (case B12). */
async function assertGranted(
  forge: FactsDeps['forge'],
  ref: RepositoryRef,
  signal: AbortSignal,
): Promise<void> {
  const missing = await forge.readMissingPermissions(ref, { signal });
  if (missing.length === 0) return;
  const list = missing.join(', ');
  throw fault('forge_forbidden', {
    detail: `the installation in ${ref.owner}/${ref.name} has not accepted: ${list}`,
    publicDetail: `an owner has to accept for Tadpole's installation: ${list}`,
  });
}

async function readPolicy(
  { forge, defaultPolicy }: FactsDeps,
  { ref, commit }: { readonly ref: Run['trigger']['repository']; readonly commit: string },
  signal: AbortSignal,
): Promise<Facts['policy']> {
  for (const path of POLICY_PATHS) {
    const file = await forge.readFile(ref, { path, commit }, { signal });
    if (file === null) continue;
    const source = { path, commit };
    return file.kind === 'text' ? { text: file.text, source } : { unreadable: file.why, source };
  }
  return defaultPolicy === null
    ? null
    : { text: defaultPolicy, source: { path: 'the server’s default policy', commit: null } };
}
