import type { Secrets } from '../../../secrets.ts';
import type { RepositoryRef } from '../../types.ts';
import { InstallationAnswer, TokenAnswer } from '../schema.ts';
import { missingPermissions, TOKEN_USES, type TokenUse } from '../token-uses.ts';
import type { Answer } from './attempt.ts';
import { forbidden } from './failure.ts';
import { parseAnswer } from './parse-answer.ts';

/** One REST call as the App itself: route, parameters and the refusals that are answers. */
export type CallAsApp = (
  request: {
    readonly route: string;
    readonly parameters?: Readonly<Record<string, unknown>>;
    readonly expect?: readonly number[];
  },
  signal: AbortSignal,
) => Promise<Answer>;

/** What a token is for: one repository, one use. */
export interface TokenScope {
  readonly ref: RepositoryRef;
  readonly use: TokenUse;
}

export interface Tokens {
  /** A token minted just now; null when repository or installation are gone. */
  mint(scope: TokenScope, signal: AbortSignal): Promise<string | null>;
  /** One minted a few minutes ago at most, shared by the calls of a stage. */
  recent(scope: TokenScope, signal: AbortSignal): Promise<string | null>;
  /** Forgets this token, unless another call has replaced it already. */
  forget(scope: TokenScope, token: string): void;
}

/** Far below the hour that tokens live: a call's token never runs out on its way (B08). */
const FRESH_MS = 5 * 60_000;

/** Installation tokens for one repository and one use each (T30); every one is registered as a secret at once. */
export function createTokens(callAsApp: CallAsApp, secrets: Pick<Secrets, 'register'>): Tokens {
  const kept = new Map<string, { readonly token: string; readonly mintedAt: number }>();
  const keyOf = ({ ref, use }: TokenScope) => `${ref.installation}:${ref.id}:${use}`;

  async function mint({ ref, use }: TokenScope, signal: AbortSignal): Promise<string | null> {
    const route = 'POST /app/installations/{installation_id}/access_tokens';
    const permissions = TOKEN_USES[use];
    const parameters = { installation_id: ref.installation, repository_ids: [ref.id], permissions };
    const answer = await callAsApp({ route, parameters, expect: [404, 422] }, signal);
    if (answer.status === 404) return null;
    if (answer.status === 422) return explainRefusal({ ref, use, said: answer.said }, signal);
    const { token } = parseAnswer(TokenAnswer, answer.data, route);
    secrets.register(token);
    return token;
  }

  /** 422 means either that the repository was taken out of the installation, or that a permission was never accepted. */
  async function explainRefusal(
    { ref, use, said }: TokenScope & { readonly said: string },
    signal: AbortSignal,
  ): Promise<null> {
    const route = 'GET /repos/{owner}/{repo}/installation';
    const parameters = { owner: ref.owner, repo: ref.name };
    const answer = await callAsApp({ route, parameters, expect: [404] }, signal);
    if (answer.status !== 200) return null;
    const held = parseAnswer(InstallationAnswer, answer.data, route).permissions;
    const missing = missingPermissions(TOKEN_USES[use], held);
    throw forbidden(`no token to ${use} with: the forge answered 422 (${said})`, missing);
  }

  return {
    mint,
    async recent(scope, signal) {
      const known = kept.get(keyOf(scope));
      if (known && Date.now() - known.mintedAt < FRESH_MS) return known.token;
      const token = await mint(scope, signal);
      for (const [key, { mintedAt }] of kept) if (Date.now() - mintedAt >= FRESH_MS) kept.delete(key);
      if (token !== null) kept.set(keyOf(scope), { token, mintedAt: Date.now() });
      return token;
    },
    forget(scope, token) {
      if (kept.get(keyOf(scope))?.token === token) kept.delete(keyOf(scope));
    },
  };
}
