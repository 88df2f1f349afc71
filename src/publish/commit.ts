import { clipLine } from '../clip.ts';
import type { Actor } from '../forge/types.ts';
import type { Git } from '../git.ts';
import { printable } from '../printable.ts';

export interface CommitRequest {
  /** Bare repository that holds the tree and knows the base commit. */
  readonly repository: string;
  readonly tree: string;
  readonly base: string;
  /** First line, neutralised already. */
  readonly title: string;
  readonly runId: string;
  /** Moment that the commit is dated by, ISO 8601: the run's own, so that a repeat makes the same commit. */
  readonly date: string;
  readonly bot: Actor;
  readonly requester: Actor;
  /** The forge's host, for its addresses that take no mail. */
  readonly host: string;
}

const TITLE_BYTES = 200;

/** Writes the one commit of a run and resolves to its id. The same request always gives the same id. */
export async function writeCommit(
  git: Git,
  request: CommitRequest,
  { signal }: { readonly signal: AbortSignal },
): Promise<string> {
  const { repository, tree, base, date, bot, host } = request;
  const name = cleanName(bot.login);
  const email = noReplyAddress(bot, host);
  const seconds = Math.trunc(Date.parse(date) / 1000);
  const written = await git.run(
    {
      cwd: repository,
      args: ['commit-tree', '-p', base, '-F', '-', tree],
      stdin: Buffer.from(commitMessage(request)),
      env: {
        GIT_AUTHOR_NAME: name,
        GIT_AUTHOR_EMAIL: email,
        GIT_AUTHOR_DATE: `@${seconds} +0000`,
        GIT_COMMITTER_NAME: name,
        GIT_COMMITTER_EMAIL: email,
        GIT_COMMITTER_DATE: `@${seconds} +0000`,
      },
    },
    { signal },
  );
  return written.stdout.toString('latin1').trim();
}

/** One line of title, the run, and who asked: a person stands behind every commit of the bot. */
function commitMessage({ title, runId, requester, host }: CommitRequest): string {
  const subject =
    clipLine(printable(title).replaceAll(/\s+/g, ' ').trim(), TITLE_BYTES) || 'Change by Tadpole';
  const coAuthor = `Co-authored-by: ${cleanName(requester.login)} <${noReplyAddress(requester, host)}>`;
  return `${subject}\n\nTadpole run ${runId}. Not reviewed by a person yet.\n\n${coAuthor}\n`;
}

/** Nothing that could end the line, close the address or begin another trailer. */
function cleanName(login: string): string {
  return login.replaceAll(/[^A-Za-z0-9._[\]-]/g, '').slice(0, 100) || 'unknown';
}

function noReplyAddress({ id, login }: Actor, host: string): string {
  return `${Math.trunc(id)}+${cleanName(login)}@users.noreply.${host.replaceAll(/[^A-Za-z0-9.-]/g, '')}`;
}
