import { setTimeout as sleep } from 'node:timers/promises';
import { ProbotOctokit } from 'probot';
import type { z } from 'zod';
import { fault } from '../../../errors.ts';
import type { Log } from '../../../log.ts';
import type { Secrets } from '../../../secrets.ts';
import { type Answer, attempt, type Pause } from './attempt.ts';
import { createFetch, type FetchOptions } from './fetch.ts';
import { parseAnswer } from './parse-answer.ts';
import { checkParameters, movedTo } from './place.ts';
import { type CallAsApp, createTokens, type TokenScope, type Tokens } from './tokens.ts';

export interface GitHubOptions extends FetchOptions {
  /** REST address, such as `https://git.corp.example/api/v3` or `https://api.github.com`. */
  readonly apiUrl: string;
  /** Address of pages and git remotes on the same forge, such as `https://git.corp.example`. */
  readonly webUrl: string;
  readonly appId: number;
  /** PEM. */
  readonly privateKey: string;
  readonly secrets: Pick<Secrets, 'register'>;
  readonly log: Log;
  /** How pauses between tries are waited out. */
  readonly pause?: Pause;
}

export interface RestCall extends TokenScope {
  /** Route as GitHub documents it, such as `GET /repos/{owner}/{repo}`; owner and repo are filled in from `ref`. */
  readonly route: string;
  readonly parameters?: Readonly<Record<string, string | number | boolean | object>>;
  /** Refusals that are answers rather than failures, besides 404 and 410. */
  readonly expect?: readonly number[];
}

export interface GitHubClient {
  readonly tokens: Tokens;
  readonly callAsApp: CallAsApp;
  /** One REST call; null when what it names is gone, moved elsewhere or hidden from us (404, 410). */
  call(call: RestCall, signal: AbortSignal): Promise<Answer | null>;
  /** The same, with the answer parsed; null too for an expected refusal. */
  read<Schema extends z.ZodType>(
    schema: Schema,
    call: RestCall,
    signal: AbortSignal,
  ): Promise<z.output<Schema> | null>;
}

const pauseFor: Pause = (ms, signal) => sleep(ms, undefined, { signal });
const GONE: readonly number[] = [404, 410];
const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * Octokit with our time-outs and retries. Its own plug-ins for both are off: they repeat creations blindly and wait without
 * bound. Every request goes to `apiUrl`; nothing in an answer changes that.
 */
export function createGitHubClient(options: GitHubOptions): GitHubClient {
  const { appId, privateKey, secrets, log, pause = pauseFor } = options;
  const baseUrl = options.apiUrl.replace(/\/+$/, '');
  const { host } = new URL(baseUrl);
  const settings = {
    baseUrl,
    throttle: { enabled: false },
    retry: { enabled: false },
    log: QUIET,
    // Without a log of ours Octokit would print deprecations to the console.
    request: { fetch: createFetch(options), log: QUIET },
  };
  const app = new ProbotOctokit({ ...settings, auth: { appId, privateKey } });
  const base = { host, pause, log };

  const callAsApp: CallAsApp = ({ route, parameters = {}, expect = [] }, signal) => {
    checkParameters(route, parameters);
    const send = async () => toAnswer(await app.request(route, { ...parameters, request: { signal } }));
    // A token that was minted and whose answer was lost harms nobody.
    return attempt(send, { ...base, what: route, repeatable: true, expect, renew: null, signal });
  };
  const tokens = createTokens(callAsApp, secrets);

  async function call(asked: RestCall, signal: AbortSignal): Promise<Answer | null> {
    const { ref, route, expect = [] } = asked;
    const place = { owner: ref.owner, repo: ref.name };
    checkParameters(route, { ...place, ...asked.parameters });
    let token: string | null = null;
    let target: Pick<RestCall, 'route' | 'parameters'> = {
      route,
      parameters: { ...place, ...asked.parameters },
    };
    const send = async () => {
      token = await tokens.recent(asked, signal);
      if (token === null) return { status: 404, data: null, location: null, said: '' };
      const octokit = new ProbotOctokit({ ...settings, auth: { token } });
      return toAnswer(await octokit.request(target.route, { ...target.parameters, request: { signal } }));
    };
    const renew = () => {
      if (token !== null) tokens.forget(asked, token);
    };
    const repeatable = !route.startsWith('POST ');
    const how = { ...base, what: route, repeatable, expect: [...GONE, ...expect], renew, signal };
    let answer = await attempt(send, how);
    const moved = movedTo(answer, { route, baseUrl, id: ref.id });
    if (moved !== null) {
      target = { route: moved, parameters: { ...asked.parameters } };
      answer = await attempt(send, how);
    }
    return GONE.includes(answer.status) || isRedirect(answer) ? null : answer;
  }

  return {
    tokens,
    callAsApp,
    call,
    async read(schema, asked, signal) {
      const answer = await call(asked, signal);
      return answer === null || answer.status >= 400 ? null : parseAnswer(schema, answer.data, asked.route);
    },
  };
}

const isRedirect = ({ status }: Answer) => status >= 300 && status < 400;

function toAnswer({
  status,
  data,
  headers,
}: {
  readonly status: number;
  readonly data: unknown;
  readonly headers: { readonly location?: string | undefined };
}): Answer {
  return { status, data, location: headers.location ?? null, said: '' };
}

/** The fault for a write to something that is not there, or no longer. */
export function goneFault(route: string) {
  const detail = `${route}: the forge answered 404: what it names is gone, or the App may not see it any more`;
  return fault('forge_forbidden', { detail });
}
