import type { Actor, Forge, Permission } from '../types.ts';
import { PERMISSIONS } from '../types.ts';
import { createGitHubClient, type GitHubClient, type GitHubOptions } from './client.ts';
import { ensureCheck, ensureComment, ensureDraft, ensureLabelRemoved } from './ensure.ts';
import { readFile, readIssue, readRepository } from './read.ts';
import { AppAnswer, PermissionAnswer } from './schema.ts';

/** What every part of the adapter works with. */
export interface GitHub {
  readonly client: GitHubClient;
  /** Address of pages and git remotes, without a slash at its end. */
  readonly webUrl: string;
  readonly identity: (signal: AbortSignal) => Promise<Actor>;
}

/** GitHub or GitHub Enterprise Server as a forge. Every address is built from the options, never from an answer (T37, B06). */
export function createGitHub(options: GitHubOptions): Forge {
  const client = createGitHubClient(options);
  const webUrl = options.webUrl.replace(/\/+$/, '');
  let known: Promise<Actor> | null = null;
  const identity = (signal: AbortSignal): Promise<Actor> => {
    known ??= readBot(client, signal).catch((err: unknown) => {
      known = null;
      throw err;
    });
    return known;
  };
  const github: GitHub = { client, webUrl, identity };

  return {
    readIdentity: ({ signal }) => identity(signal),
    readRepository: (ref, { signal }) => readRepository(github, ref, signal),
    readIssue: (ref, number, { signal }) => readIssue(github, { ref, number }, signal),
    readFile: (ref, file, { signal }) => readFile(github, { ref, ...file }, signal),
    async readPermission(ref, login, { signal }) {
      const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
      const answer = await client.call(ref, 'facts', { route, parameters: { username: login } }, signal);
      return answer ? toPermission(PermissionAnswer.parse(answer.data)) : 'none';
    },
    async gitAccess(ref, access, { signal }) {
      const token = await client.mint(ref, access === 'write' ? 'push' : 'fetch', signal);
      const credentials = Buffer.from(`x-access-token:${token}`).toString('base64');
      options.secrets.register(credentials);
      const path = `${encodeURIComponent(ref.owner)}/${encodeURIComponent(ref.name)}`;
      return { url: `${webUrl}/${path}.git`, headers: [`Authorization: Basic ${credentials}`] };
    },
    ensureComment: (ref, issue, comment, { signal }) =>
      ensureComment(github, { ref, issue, comment }, signal),
    ensureLabelRemoved: (ref, issue, label, { signal }) =>
      ensureLabelRemoved(github, { ref, issue, label }, signal),
    ensureDraft: (ref, draft, { signal }) => ensureDraft(github, { ref, draft }, signal),
    ensureCheck: (ref, check, { signal }) => ensureCheck(github, { ref, check }, signal),
  };
}

/** The App's bot user: what our own comments and pushes are signed with. */
async function readBot(client: GitHubClient, signal: AbortSignal): Promise<Actor> {
  const app = AppAnswer.parse((await client.callAsApp({ route: 'GET /app' }, signal))?.data);
  // GET /users wants an installation's token; the login identifies the bot as well, and ids are compared nowhere.
  return { id: 0, login: `${app.slug}[bot]`, kind: 'bot' };
}

/** `role_name` knows triage and maintain, custom roles too; those and unknown words fall back to the coarse `permission`. */
function toPermission({
  permission,
  role_name,
}: {
  readonly permission: string;
  readonly role_name?: string | undefined;
}): Permission {
  return (
    PERMISSIONS.find((name) => name === role_name) ??
    PERMISSIONS.find((name) => name === permission) ??
    'none'
  );
}

/** Permissions that the App holds and Tadpole must not: with them it could change CI or rights (T10). */
export async function findExcessPermissions(
  options: GitHubOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const answer = await createGitHubClient(options).callAsApp({ route: 'GET /app' }, signal);
  const { permissions } = AppAnswer.parse(answer?.data);
  return ['workflows', 'administration', 'actions', 'secrets'].filter(
    (name) => permissions[name] !== undefined,
  );
}
