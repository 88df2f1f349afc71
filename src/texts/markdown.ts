/**
 * Untrusted text for places that render Markdown and are read by bots. Two rules. What a stranger wrote stands inside code
 * (a span or a fenced block) or has every sign of Markdown escaped, so that no forge makes mentions, links, images or HTML
 * of it. And since bots read the raw text, code or not, what they react to is broken up visibly first: mentions,
 * commands, closing keywords, addresses, hidden comments (T17, T23).
 */
import { byteLength, clip, clipLine, takeHead } from '../clip.ts';
import { printable } from '../printable.ts';
import { redactOpaque } from './opaque.ts';

/** `scheme://…`, `www.…`, and schemes that act without slashes. */
const ADDRESSES =
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'`)\]]*|\bwww\.[^\s<>"'`)\]]+|\b(?:mailto|javascript|data|vbscript):[^\s<>"'`)\]]+/gi;

/** An `@` that a forge or a bot reads as a mention, its wide forms too: before a name, not inside a mail address. */
const MENTIONS = /(?<![A-Za-z0-9])[@\uff20\ufe6b](?=[\p{L}\p{N}_[\\/-])/gu;

const CLOSING_WORDS =
  'close|closes|closed|closing|fix|fixes|fixed|fixing|resolve|resolves|resolved|resolving|implement|implements|implemented';
/** A closing keyword and the sign of what it would close: `#1`, `!1`, `owner/repo#1`, `GH-1`. */
const CLOSING = new RegExp(
  `\\b((?:${CLOSING_WORDS})\\b[\\s:*_~-]{0,8})((?:[\\w.-]{1,100}/[\\w.-]{1,100})?[#!]|GH-)(?=\\d)`,
  'gi',
);

/** A line's beginning that a chat bot or a CI log takes as a command: `/lgtm`, `::set-output`, `##[group]`. */
const COMMANDS = /^([ \t>*+-]{0,40})(?=\/[a-z]|::[a-z]|##\[|##vso|bors\b|r\+|r=|!\w)/gim;

/** Switches that CI systems obey anywhere in a message. */
const CI_SWITCHES =
  /\[\s?(?:skip[\s_-](?:ci|actions|checks)|(?:ci|actions|no|checks)[\s_-](?:skip|ci))\s?\]|\*{3}NO_CI\*{3}|skip-checks:\s?true/gi;

/** Longer runs than any text needs: whatever holds them would need still longer ones around it. */
const MANY_BACKTICKS = /(`{16})`+/g;

/** Any reference to an issue, for texts that are not code. */
const REFERENCES = /(?<!\w)((?:[\w.-]{1,100}\/[\w.-]{1,100})?#|GH-)(?=\d)/gi;

/** The text with everything broken up that a forge or a bot would act on. It stays readable, and shows that it was done. */
function breakUp(text: string): string {
  return text
    .replace(ADDRESSES, '(redacted)')
    .replaceAll('<!--', '<! --')
    .replace(/--(!?)>/g, '-- $1>')
    .replace(MENTIONS, '@ ')
    .replace(CLOSING, '$1$2 ')
    .replace(CI_SWITCHES, (found) => found.replace(/[^\w-]+/g, ' ').trim())
    .replace(MANY_BACKTICKS, '$1')
    .replace(COMMANDS, '$1· ');
}

function toLine(text: string, maxBytes: number): string {
  return printable(takeHead(text, 8 * maxBytes))
    .replace(/\s+/g, ' ')
    .trim();
}

/** More backticks than any run of them inside, at least `least`. */
function ticksAround(text: string, least: number): string {
  let longest = least - 1;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return '`'.repeat(longest + 1);
}

/** Untrusted text as one code span on one line, cut to about `maxBytes`. Never empty. */
export function inline(text: string, maxBytes = 200): string {
  const line = clipLine(breakUp(toLine(text, maxBytes)), maxBytes);
  if (line === '') return '(empty)';
  const ticks = ticksAround(line, 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

/** Breaking up may lengthen a text, and cutting may put a command at a line's start: cut first, break up, look again. */
function breakUpWithin(text: string, maxBytes: number): string {
  for (let budget = maxBytes; budget > 16; budget = Math.floor(budget * 0.7)) {
    const broken = breakUp(clip(text, budget));
    if (byteLength(broken) <= maxBytes) return broken;
  }
  return '';
}

/** Untrusted text as a fenced block that nothing inside can close; head and tail are kept within `maxBytes`. */
export function fenced(text: string, maxBytes: number): string {
  const clean = printable(clip(text, 8 * maxBytes)).replace(/^\n+|\s+$/g, '');
  const body = breakUpWithin(clean, maxBytes);
  const fence = ticksAround(body, 3);
  return `${fence}text\n${body}\n${fence}`;
}

/** The model's own prose, fenced, with runs that look like encoded data taken out: it needs none to be understood. */
export function fencedProse(text: string, maxBytes: number): string {
  return fenced(redactOpaque(printable(clip(text, 8 * maxBytes))), maxBytes);
}

/** The same on one line, as a code span. */
export function inlineProse(text: string, maxBytes = 300): string {
  return inline(redactOpaque(toLine(text, maxBytes)), maxBytes);
}

/** Untrusted text for a title or a commit subject, which are no Markdown: one line, nothing in it refers or commands. */
export function plain(text: string, maxBytes: number): string {
  const line = breakUp(toLine(text, maxBytes)).replace(REFERENCES, '$1 ');
  return clipLine(line, maxBytes);
}

/** A sentence with untrusted words in it: every sign of Markdown escaped, also those that count at a line's start only. */
export function escaped(text: string, maxBytes = 400): string {
  return plain(text, maxBytes)
    .replace(/[\\`*_[\]<>&~|$#]/g, '\\$&')
    .replace(/^(?:(?=[-+=])|\d{1,9}(?=[.)]))/, '$&\\');
}

/** A quoted name (JSON) or a code span in one of our sentences; only what is quoted was written by strangers. */
const QUOTED = /("(?:[^"\\]|\\.)*"|`[^`]*`)/;

const SENTENCE_BYTES = 800;

/** One of our sentences about the change: names that it quotes become code, the rest is escaped. */
export function sentence(text: string): string {
  const shown = takeHead(text, SENTENCE_BYTES).split(QUOTED).map(showPart).join('');
  // A name made of signs can grow while it is escaped; then it is shown as one piece of code.
  return byteLength(shown) <= SENTENCE_BYTES ? shown : inline(text, SENTENCE_BYTES / 2);
}

function showPart(part: string): string {
  if (part.startsWith('`') && part.endsWith('`') && part.length > 2) return inline(part.slice(1, -1));
  const name = part.startsWith('"') ? parseQuoted(part) : null;
  if (name !== null) return inline(name);
  if (part.trim() === '') return part === '' ? '' : ' ';
  return `${/^\s/.test(part) ? ' ' : ''}${escaped(part)}${/\s$/.test(part) ? ' ' : ''}`;
}

function parseQuoted(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}

/** A login as a mention. Only for the person who asked for the run; anything but a plain login is shown as code. */
export function mention(login: string): string {
  return /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,98}[A-Za-z0-9])?$/.test(login) ? `@${login}` : inline(login);
}
