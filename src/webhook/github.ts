import { Probot } from 'probot';
import type { Log } from '../log.ts';

/** A delivery whose signature was checked, as GitHub sent it. */
export interface VerifiedDelivery {
  readonly id: string;
  readonly event: string;
  readonly payload: object;
}

/** What Tadpole reacts to. Nothing is decided here: `parse` says whether it is for us, `admit` whether it may run. */
export const EVENTS = ['issues.labeled', 'issues.unlabeled', 'issues.closed', 'issues.deleted'] as const;

/** Names of events as `X-GitHub-Event` has them; others never reach a handler. */
const NAMES: ReadonlySet<string> = new Set(EVENTS.map((event) => event.slice(0, event.indexOf('.'))));

export interface GitHubAppOptions {
  readonly appId: number;
  readonly privateKey: string;
  readonly webhookSecret: string;
  readonly apiUrl: string;
  readonly log: Log;
}

/**
 * Probot's app. Its own HTTP middleware is not used: that answers 202 by itself after 9 s, stored or not. The listener
 * verifies the raw bytes and hands the delivery over here; the handler is awaited and its error comes out.
 */
export async function createGitHubApp<Result>(
  options: GitHubAppOptions,
  handle: (delivery: VerifiedDelivery) => Promise<Result>,
): Promise<(delivery: VerifiedDelivery) => Promise<Result | null>> {
  const { appId, privateKey, webhookSecret: secret, apiUrl: baseUrl, log } = options;
  const results = new WeakMap<object, Result>();
  const probot = new Probot({ appId, privateKey, secret, baseUrl, log: log.child({}, { level: 'error' }) });
  await probot.load((app) => {
    app.on([...EVENTS], async ({ id, name, payload }) => {
      results.set(payload, await handle({ id, event: name, payload }));
    });
  });
  return async ({ id, event, payload }) => {
    if (!NAMES.has(event)) return null;
    try {
      // Probot types name and payload as GitHub's own; what they really are is parsed by the handler.
      await probot.receive({ id, name: event as 'issues', payload: payload as never });
    } catch (err) {
      throw err instanceof AggregateError ? err.errors[0] : err;
    }
    return results.get(payload) ?? null;
  };
}
