import type { Forge, RepositoryRef } from '../forge/types.ts';
import { PERMISSIONS } from '../forge/types.ts';
import type { LabelTrigger } from '../webhook/trigger.ts';

/** What no longer allows a draft, though the run was admitted. */
export const WITHDRAWALS = [
  'repository_gone',
  'repository_archived',
  'repository_disabled',
  'issue_gone',
  'issue_closed',
  'label_gone',
  'permission_too_low',
] as const;
export type Withdrawal = (typeof WITHDRAWALS)[number];

export type Standing =
  | {
      readonly kind: 'stands';
      /** The default branch's commit now. */
      readonly head: string | null;
      /** The forge's host name, as its own pages have it. */
      readonly host: string;
    }
  | {
      readonly kind: 'withdrawn';
      readonly code: Withdrawal;
      readonly details: Readonly<Record<string, string>>;
    };

/** Asks the forge again, right before publishing, what admission asked: a run takes long, and people's minds and rights change. */
export async function askAgain(
  forge: Pick<Forge, 'readRepository' | 'readIssue' | 'readPermission'>,
  { repository, issue, label, sender }: LabelTrigger,
  { signal }: { readonly signal: AbortSignal },
): Promise<Standing> {
  const facts = await forge.readRepository(repository, { signal });
  if (facts === null) return withdrawn('repository_gone');
  if (facts.archived) return withdrawn('repository_archived');
  if (facts.disabled) return withdrawn('repository_disabled');
  const found = await findIssueProblem(forge, { repository, issue, label }, { signal });
  if (found !== null) return withdrawn(found);
  const permission = await forge.readPermission(repository, sender.login, { signal });
  if (PERMISSIONS.indexOf(permission) < PERMISSIONS.indexOf('write'))
    return withdrawn('permission_too_low', { permission, login: sender.login });
  return { kind: 'stands', head: facts.head, host: URL.parse(facts.webUrl)?.hostname ?? 'invalid' };
}

async function findIssueProblem(
  forge: Pick<Forge, 'readIssue'>,
  {
    repository,
    issue,
    label,
  }: { readonly repository: RepositoryRef; readonly issue: number; readonly label: string },
  { signal }: { readonly signal: AbortSignal },
): Promise<Withdrawal | null> {
  const now = await forge.readIssue(repository, issue, { signal });
  if (now === null) return 'issue_gone';
  if (now.state === 'closed') return 'issue_closed';
  const named = now.labels.some((name) => name.toLowerCase() === label.toLowerCase());
  return named ? null : 'label_gone';
}

function withdrawn(code: Withdrawal, details: Readonly<Record<string, string>> = {}): Standing {
  return { kind: 'withdrawn', code, details };
}
