import { setTimeout as sleep } from 'node:timers/promises';
import { ProbotOctokit } from 'probot';
import type { Log } from '../../log.ts';
import type { Secrets } from '../../secrets.ts';
import type { RepositoryRef } from '../types.ts';
import { type Failure, toFailure } from './failure.ts';
import { createFetch } from './fetch.ts';
import { TokenAnswer } from './schema.ts';
import { TOKEN_USES, type TokenUse } from './token-uses.ts';

export interface GitHubOptions {
  /** REST address, such as `https://git.corp.example/api/v3` or `https://api.github.com`. */
  readonly apiUrl: string;
  /** Address of pages and git remotes on the same forge, such as `https://git.corp.example`. */
  readonly webUrl: string;
  readonly appId: number;
  /** PEM. */
  readonly privateKey: string;
  /** A private certificate authority, PEM, trusted beside the public ones. */
  readonly ca?: string | null;
  readonly secrets: Secrets;
  readonly log: Log;
  /** Longest wait for one answer, ms. */
  readonly timeoutMs?: number;
}

export interface GitHubClient {
  /** A fresh token for this repository alone, registered as a secret. */
  mint(ref: RepositoryRef, use: TokenUse, signal: AbortSignal): Promise<string>;
  /** One REST call with a token of that use; the answer's data, or null for 404 and 410. */
  call(ref: RepositoryRef, use: TokenUse, request: RestCall, signal: AbortSignal): Promise<Answer | null>;
  /** One REST call as the App itself. */
  callAsApp(request: RestCall, signal: AbortSignal): Promise<Answer | null>;
}

export interface RestCall {
  /** Route as Octokit has it, such as `GET /repos/{owner}/{repo}`. */
  readonly route: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Statuses that are answers rather than failures, such as 422 where "exists already" is one. */
  readonly expect?: readonly number[];
}

export interface Answer {
  readonly status: number;
  readonly data: unknown;
}

const TRIES = 4;
/** Longest pause inside a call; what asks for more becomes a fault that the queue waits out. */
const MAX_PAUSE_MS = 60_000;
const TOKEN_LIFE_MS = 5 * 60_000;

/** Octokit with our time-outs and retries. Its own plug-ins for both are off: they retry writes blindly and wait unbounded. */
export function createGitHubClient(options: GitHubOptions): GitHubClient {
  const { apiUrl: baseUrl, appId, privateKey, secrets, log } = options;
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const settings = {
    baseUrl,
    throttle: { enabled: false },
    retry: { enabled: false },
    log: quiet,
    request: { fetch: createFetch(options) },
  };
  const app = new ProbotOctokit({ ...settings, auth: { appId, privateKey } });
  const tokens = new Map<string, { readonly token: string; readonly mintedAt: number }>();

  async function mint(ref: RepositoryRef, use: TokenUse, signal: AbortSignal): Promise<string> {
    const answer = await attempt(
      () =>
        app.request('POST /app/installations/{installation_id}/access_tokens', {
          installation_id: ref.installation,
          repository_ids: [ref.id],
          permissions: TOKEN_USES[use],
          request: { signal },
        }),
      { what: 'minting a token', signal, log },
    );
    const { token } = TokenAnswer.parse(answer.data);
    secrets.register(token);
    return token;
  }

  async function tokenFor(ref: RepositoryRef, use: TokenUse, signal: AbortSignal): Promise<string> {
    const key = `${ref.installation}:${ref.id}:${use}`;
    const kept = tokens.get(key);
    if (kept && Date.now() - kept.mintedAt < TOKEN_LIFE_MS) return kept.token;
    const token = await mint(ref, use, signal);
    tokens.set(key, { token, mintedAt: Date.now() });
    return token;
  }

  return {
    mint,
    async call(ref, use, request, signal) {
      const send = async () => {
        const octokit = new ProbotOctokit({ ...settings, auth: { token: await tokenFor(ref, use, signal) } });
        const place = { owner: ref.owner, repo: ref.name };
        return octokit.request(request.route, { ...place, ...request.parameters, request: { signal } });
      };
      const renew = () => tokens.delete(`${ref.installation}:${ref.id}:${use}`);
      return settle(send, { request, signal, log, renew });
    },
    callAsApp: (request, signal) =>
      settle(() => app.request(request.route, { ...request.parameters, request: { signal } }), {
        request,
        signal,
        log,
        renew: () => false,
      }),
  };
}

interface SettleOptions {
  readonly request: RestCall;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly renew: () => boolean;
}

async function settle(
  send: () => Promise<Answer>,
  { request, signal, log, renew }: SettleOptions,
): Promise<Answer | null> {
  const expected = [404, 410, ...(request.expect ?? [])];
  const answer = await attempt(send, { what: request.route, signal, log, expected, renew });
  return answer.status === 404 || answer.status === 410 ? null : answer;
}

interface AttemptOptions {
  readonly what: string;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly expected?: readonly number[];
  /** Drops the token in use; true when there was one, so that a 401 is worth another try. */
  readonly renew?: () => boolean;
}

/** Repeats a call while that helps. Safe for writes, since every write here is looked up before it is repeated by its caller. */
async function attempt(send: () => Promise<Answer>, options: AttemptOptions): Promise<Answer> {
  const { what, signal, log, expected = [], renew } = options;
  let renewed = false;
  for (let turn = 1; ; turn += 1) {
    signal.throwIfAborted();
    try {
      const { status, data } = await send();
      return { status, data };
    } catch (thrown) {
      signal.throwIfAborted();
      const failure = toFailure(thrown, what);
      if (failure.waitMs === null && failure.status !== null && expected.includes(failure.status))
        return { status: failure.status, data: null };
      const mayRenew = failure.status === 401 && !renewed && renew?.() === true;
      if (mayRenew) renewed = true;
      const pause = mayRenew ? 0 : pauseFor(failure, { turn, what });
      if (pause === null) throw failure.fault;
      log.debug({ what, status: failure.status, pause }, 'forge call repeated');
      await sleep(pause, undefined, { signal });
    }
  }
}

/** Ms until the next try; null when there should be none. A write whose answer was lost is looked up by its caller first. */
function pauseFor(
  { status, waitMs }: Failure,
  { turn, what }: { readonly turn: number; readonly what: string },
): number | null {
  if (turn >= TRIES) return null;
  if (waitMs !== null) return waitMs <= MAX_PAUSE_MS ? waitMs : null;
  const isRead = what.startsWith('GET ') || what === 'minting a token';
  const isPassing = status === null || status >= 500 || (status === 403 && turn === 1);
  if (!isPassing || (!isRead && status !== 403)) return null;
  return Math.min(8_000, 250 * 2 ** turn);
}
