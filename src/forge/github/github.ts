import { setTimeout as sleep } from 'node:timers/promises';
import type { Actor, Forge } from '../types.ts';
import { ensureCheck } from './ensure/check.ts';
import { createKnownComments, ensureComment, type KnownComments } from './ensure/comment.ts';
import { ensureDraft } from './ensure/draft.ts';
import { ensureLabelRemoved } from './ensure/label-removed.ts';
import { gitAccess } from './git-access.ts';
import { readFile } from './read/file.ts';
import { readIssue } from './read/issue.ts';
import { readMissingPermissions } from './read/missing-permissions.ts';
import { readPermission } from './read/permission.ts';
import { readRepository } from './read/repository.ts';
import type { Pause } from './rest/attempt.ts';
import { createGitHubClient, type GitHubClient, type GitHubOptions } from './rest/client.ts';
import { parseAnswer } from './rest/parse-answer.ts';
import { AppAnswer } from './schema.ts';

export type { GitHubOptions } from './rest/client.ts';

/** What every part of the adapter works with. */
export interface GitHub {
  readonly client: GitHubClient;
  readonly appId: number;
  /** Address of pages and git remotes, without a slash at its end. */
  readonly webUrl: string;
  readonly identity: (signal: AbortSignal) => Promise<Actor>;
  readonly comments: KnownComments;
  readonly pause: Pause;
}

/** GitHub or GitHub Enterprise Server as a forge. Every address is built from the options, never from an answer (T37, B06). */
export function createGitHub(options: GitHubOptions): Forge {
  const pause: Pause = options.pause ?? ((ms, signal) => sleep(ms, undefined, { signal }));
  const client = createGitHubClient({ ...options, pause });
  const github: GitHub = {
    client,
    appId: options.appId,
    webUrl: options.webUrl.replace(/\/+$/, ''),
    identity: rememberIdentity(client),
    comments: createKnownComments(),
    pause,
  };
  const { secrets } = options;
  return {
    readIdentity: ({ signal }) => github.identity(signal),
    readMissingPermissions: (ref, { signal }) => readMissingPermissions(github, ref, signal),
    readRepository: (ref, { signal }) => readRepository(github, ref, signal),
    readIssue: (ref, number, { signal }) => readIssue(github, { ref, number }, signal),
    readPermission: (ref, login, { signal }) => readPermission(github, { ref, login }, signal),
    readFile: (ref, file, { signal }) => readFile(github, { ref, ...file }, signal),
    gitAccess: (ref, access, { signal }) => gitAccess(github, { ref, access }, { secrets, signal }),
    ensureComment: (ref, issue, comment, { signal }) =>
      ensureComment(github, { ref, issue, comment }, signal),
    ensureLabelRemoved: (ref, issue, label, { signal }) =>
      ensureLabelRemoved(github, { ref, issue, label }, signal),
    ensureDraft: (ref, draft, { signal }) => ensureDraft(github, { ref, draft }, signal),
    ensureCheck: (ref, check, { signal }) => ensureCheck(github, { ref, check }, signal),
  };
}

/** The App's bot user, asked for once. The value is kept, not the promise: one caller's abort must not fail another's wait. */
function rememberIdentity(client: GitHubClient): GitHub['identity'] {
  let known: Actor | null = null;
  return async (signal) => {
    if (known) return known;
    const route = 'GET /app';
    const { slug } = parseAnswer(AppAnswer, (await client.callAsApp({ route }, signal)).data, route);
    // GET /users wants an installation's token; the login identifies the bot as well, and ids are compared nowhere.
    known = { id: 0, login: `${slug}[bot]`, kind: 'bot' };
    return known;
  };
}
