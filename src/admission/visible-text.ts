import MarkdownIt, { type Token } from 'markdown-it';
import { printable } from '../printable.ts';
import { bareHtml } from './visible-html.ts';

/**
 * Text as a reader of the page sees it: what is invisible there must not reach the model (T39). Never a security
 * boundary, since the model has no power worth steering; it keeps the prompt equal to what people approved.
 */
export interface VisibleText {
  readonly text: string;
  /** Characters that were taken out: comments, attributes, definitions, titles, zero-width and the like. */
  readonly hidden: number;
}

const markdown = new MarkdownIt({ html: true });
/** Lines that belong to one of these are shown. All others are definitions of links, or nothing but list and quote marks. */
const SHOWN = new Set([
  'paragraph_open',
  'heading_open',
  'fence',
  'code_block',
  'html_block',
  'hr',
  'table_open',
]);
const MARKS_ALONE = /^[\s>*+-]*(?:\d{1,9}[.)])?\s*$/;

/** Takes out what a reader can't see; code stays as it is, for there everything is seen. Line ends become `\n`. Total. */
export function toVisible(raw: string): VisibleText {
  const source = raw.toWellFormed().replace(/\r\n?/g, '\n');
  const lines: (string | null)[] = source.split('\n');
  const shown = new Set<number>();
  for (const { type, map, children } of withTables(markdown.parse(source, {}))) {
    const [from, to] = map ?? [0, 0];
    if (SHOWN.has(type)) for (let line = from; line < to; line += 1) shown.add(line);
    if (type !== 'html_block' && !children) continue;
    const before = lines.slice(from, to).join('\n');
    const after = children ? bareInline(before, children) : bareHtml(before);
    if (after !== before) lines.fill(null, from, to).splice(from, 1, after);
  }
  const kept = lines.filter((line, index) => line !== null && (shown.has(index) || MARKS_ALONE.test(line)));
  const text = printable(kept.join('\n'));
  // Breaks between lines that became one are no hidden text.
  const lostBreaks = lines.length - kept.length;
  return { text: text.trim(), hidden: Math.max(0, source.length - text.length - lostBreaks) };
}

type Part = Pick<Token, 'type' | 'map' | 'children'>;

/** A table's cells have no lines of their own: the table stands for them, with the parts of all cells in their order. */
function withTables(tokens: readonly Token[]): readonly Part[] {
  const parts: Part[] = [];
  let cells: Token[] | null = null;
  for (const token of tokens) {
    if (token.type === 'table_open') {
      cells = [];
      parts.push({ type: token.type, map: token.map, children: cells });
    }
    if (token.type === 'table_close') cells = null;
    if (cells) cells.push(...(token.children ?? []));
    else parts.push(token);
  }
  return parts;
}

/** `](address "title")`: what is seen only on hover, if at all. */
const TITLES = /(\]\([^()\s]*)\s+(?:"[^"]*"|'[^']*'|\([^()]*\))\s*\)/g;

/**
 * A paragraph's source without its hidden pieces. Its parts have no positions, so each is looked for behind the one
 * before; a piece that can't be found costs the whole paragraph rather than slip through.
 */
function bareInline(source: string, parts: readonly Token[]): string {
  let text = parts.some((part) => part.attrGet('title')) ? source.replace(TITLES, '$1)') : source;
  let at = 0;
  for (const part of parts) {
    const piece = hiddenPiece(part);
    if (piece === null) continue;
    const found = find(text, piece.hidden, at);
    if (!found) return '';
    text = text.slice(0, found.from) + piece.instead + text.slice(found.to);
    at = found.from + piece.instead.length;
  }
  return text;
}

/** Where a piece stands from `at` on. In quotes and lists its further lines have marks before them that it lacks. */
function find(
  text: string,
  piece: string,
  at: number,
): { readonly from: number; readonly to: number } | null {
  const lines = piece.split('\n').map((line) => line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(lines.join('\\n[ \\t>]*'), 'g');
  pattern.lastIndex = at;
  const found = pattern.exec(text);
  return found && { from: found.index, to: found.index + found[0].length };
}

/** A piece of the source that is not shown, and what is seen in its place. */
function hiddenPiece({ type, content }: Token): { readonly hidden: string; readonly instead: string } | null {
  if (type === 'html_inline') return { hidden: content, instead: bareHtml(content) };
  return type === 'image' ? { hidden: `![${content}]`, instead: '![]' } : null;
}
