import { fault } from '../../errors.ts';
import { createGitHubClient, type GitHubOptions } from './rest/client.ts';
import { parseAnswer } from './rest/parse-answer.ts';
import { AppAnswer } from './schema.ts';
import { missingPermissions, neededPermissions } from './token-uses.ts';

/** With these a stolen key could change CI, rights or secrets: far more than opening drafts (T10, T54). */
const DANGEROUS = [
  'workflows',
  'administration',
  'actions',
  'secrets',
  'environments',
  'organization_administration',
  'organization_secrets',
  'members',
] as const;

/** What the App holds, against what app.yml asks for. */
export interface AppStanding {
  /** Held and never to be held: the App is not to be used so. */
  readonly dangerous: readonly string[];
  /** Held, not needed and harmless enough to go on. */
  readonly excess: readonly string[];
  /** Needed and not held. */
  readonly missing: readonly string[];
}

/** Compares permissions. Total. */
export function judgePermissions(held: Readonly<Record<string, string>>): AppStanding {
  const needed = neededPermissions();
  const dangerous = Object.keys(held).filter((name) => DANGEROUS.some((bad) => name === bad));
  const harmless = Object.entries(held).filter(([name]) => !dangerous.includes(name));
  const excess = missingPermissions(Object.fromEntries(harmless), needed);
  return { dangerous, excess, missing: missingPermissions(needed, held) };
}

/** The check at start. Fault `config_invalid` names permissions that the App must not hold, and where to take them away. */
export async function assertLeastPermissions(
  options: GitHubOptions,
  { signal }: { readonly signal: AbortSignal },
): Promise<AppStanding> {
  const route = 'GET /app';
  const answer = await createGitHubClient(options).callAsApp({ route }, signal);
  const standing = judgePermissions(parseAnswer(AppAnswer, answer.data, route).permissions);
  if (standing.dangerous.length === 0) return standing;
  const list = standing.dangerous.join(', ');
  throw fault('config_invalid', {
    detail: `GITHUB_APP_ID  the App holds ${list}; Tadpole must not have that. Take it away in the App's settings (app.yml lists what is needed)`,
  });
}
