import { createHash } from 'node:crypto';
import type { Comment, Issue } from '../forge/types.ts';
import type { LabelTrigger } from '../webhook/trigger.ts';
import type { PinnedText } from './types.ts';
import { toVisible } from './visible-text.ts';

const MAX_FIELD = 60_000;
const MAX_COMMENTS = 50;

/**
 * Pins the issue's text as of the label: title and body from the signed payload, comments from the forge. Comments written
 * or edited after the label, by bots, or with times that can't be read are left out (T19), and counted.
 */
export function pinText(
  trigger: LabelTrigger,
  issue: Pick<Issue, 'comments' | 'commentsOmitted'>,
): PinnedText {
  const kept = issue.comments.filter((comment) => isBefore(comment, trigger.labelledAt));
  const newest = kept.slice(-MAX_COMMENTS);
  const title = visible(trigger.title).replace(/\s+/g, ' ');
  const body = visible(trigger.body);
  const comments = newest.map(({ author, createdAt, body: text }) => ({
    author: author.login,
    createdAt,
    body: visible(text),
  }));
  const text = toText({ title, body, comments });
  return {
    title,
    body,
    comments,
    omitted: issue.comments.length - newest.length + issue.commentsOmitted,
    text,
    sha256: createHash('sha256').update(text, 'utf8').digest('hex'),
    takenAt: trigger.labelledAt,
  };
}

function isBefore({ author, createdAt, updatedAt }: Comment, labelledAt: string): boolean {
  const [created, updated, label] = [createdAt, updatedAt, labelledAt].map((moment) => Date.parse(moment));
  if (author.kind === 'bot' || created === undefined || updated === undefined || label === undefined)
    return false;
  // NaN compares false: a time that can't be read drops the comment.
  return created <= label && updated <= label;
}

/** One field, visible part only; more than the cap is cut and says so. */
function visible(raw: string): string {
  const { text, hidden } = toVisible(raw);
  const cut =
    text.length > MAX_FIELD
      ? `${text.slice(0, MAX_FIELD)}\n[cut: ${text.length - MAX_FIELD} characters more]`
      : text;
  return hidden > 0 ? `${cut}\n[${hidden} invisible piece${hidden === 1 ? '' : 's'} removed]` : cut;
}

function toText({ title, body, comments }: Pick<PinnedText, 'title' | 'body' | 'comments'>): string {
  const parts = [`# ${title}`, body];
  for (const { author, createdAt, body: text } of comments)
    parts.push(`## Comment by ${author}, ${createdAt}\n\n${text}`);
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
