import { createHash } from 'node:crypto';
import { byteLength, takeHead } from '../clip.ts';
import type { Comment, Issue } from '../forge/types.ts';
import type { LabelTrigger } from '../webhook/trigger.ts';
import type { PinnedText } from './types.ts';
import { toVisible, type VisibleText } from './visible-text.ts';

/** One cap for each field, so that no field can push another out of sight (T44). What is cut says so, in the text itself. */
const MAX_TITLE_BYTES = 1_000;
const MAX_BODY_BYTES = 48_000;
const MAX_COMMENT_BYTES = 12_000;
const MAX_COMMENTS = 20;

/**
 * Pins the issue's text as of the label: title and body from the signed payload, comments from the forge. Comments written
 * or edited after the label, by bots, or with times that can't be read are left out (T19), and counted. Pure.
 */
export function pinText(
  trigger: Pick<LabelTrigger, 'title' | 'body' | 'labelledAt'>,
  issue: Pick<Issue, 'comments' | 'commentsOmitted'>,
): PinnedText {
  const kept = issue.comments.filter((comment) => isBefore(comment, trigger.labelledAt));
  const newest = kept.slice(-MAX_COMMENTS);
  const parts = {
    title: toVisible(trigger.title),
    body: toVisible(trigger.body),
    comments: newest.map((comment) => ({ ...comment, visible: toVisible(comment.body) })),
  };
  const title = cut(parts.title, MAX_TITLE_BYTES).replace(/\s+/g, ' ');
  const body = cut(parts.body, MAX_BODY_BYTES);
  const comments = parts.comments.map(({ author, createdAt, visible }) => ({
    author: author.login,
    createdAt,
    body: cut(visible, MAX_COMMENT_BYTES),
  }));
  const all = [parts.title, parts.body, ...parts.comments.map(({ visible }) => visible)];
  const hidden = all.reduce((sum, part) => sum + part.hidden, 0);
  const text = toText({ title, body, comments });
  return {
    title,
    body,
    comments,
    omitted: issue.comments.length - newest.length + issue.commentsOmitted,
    hidden,
    text,
    sha256: createHash('sha256').update(text, 'utf8').digest('hex'),
    takenAt: trigger.labelledAt,
  };
}

/**
 * Strictly before: the forge tells whole seconds, so what has the label's own second may have come after it. A time that
 * can't be read is NaN, and every comparison with it is false.
 */
function isBefore({ author, createdAt, updatedAt }: Comment, labelledAt: string): boolean {
  const label = Date.parse(labelledAt);
  return author.kind === 'user' && Date.parse(createdAt) < label && Date.parse(updatedAt) < label;
}

function cut({ text }: VisibleText, maxBytes: number): string {
  const head = takeHead(text, maxBytes);
  return head === text ? text : `${head}\n[cut: ${byteLength(text) - byteLength(head)} bytes more]`;
}

/** The one form that is hashed and handed to the model. */
function toText({ title, body, comments }: Pick<PinnedText, 'title' | 'body' | 'comments'>): string {
  const parts = [`# ${title}`, body];
  for (const { author, createdAt, body: text } of comments)
    parts.push(`## Comment by ${author}, ${createdAt}\n\n${text}`);
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
