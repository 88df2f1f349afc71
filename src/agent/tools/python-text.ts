/** Text as Python sees it, since the observations that the model was trained on were made by Python. */

/** Where `str.splitlines` breaks lines. */
export const LINE_BREAK = /\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]/g;

/** Number of characters (code points), which is what Python counts. */
export function countChars(text: string): number {
  let low = 0;
  for (const _ of text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)) low += 1;
  return text.length - low;
}

/** The first so many characters. */
export function takeChars(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken += 1) end += isPair(text, end) ? 2 : 1;
  return text.slice(0, end);
}

/** The last so many characters. */
export function takeLastChars(text: string, count: number): string {
  if (text.length <= count) return text;
  let start = text.length;
  for (let taken = 0; taken < count && start > 0; taken += 1) start -= isPair(text, start - 2) ? 2 : 1;
  return text.slice(start);
}

function isPair(text: string, at: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, at), at + 2));
}

/** The text, or its first `limit` characters and a line that says how many are missing. */
export function cutChars(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const chars = countChars(text);
  return chars <= limit ? text : `${takeChars(text, limit)}\n${truncated(chars - limit)}`;
}

export function truncated(chars: number): string {
  return `[truncated ${chars} chars]`;
}

const NAMED_ESCAPES: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\\': '\\\\',
};
/** What Python calls not printable, the blank apart. */
const UNPRINTABLE = /[\p{C}\p{Z}]/u;

function escapeChar(char: string): string {
  const named = NAMED_ESCAPES[char];
  if (named !== undefined) return named;
  if (char === ' ' || !UNPRINTABLE.test(char)) return char;
  const code = char.codePointAt(0) ?? 0;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code <= 0xffff
    ? `\\u${code.toString(16).padStart(4, '0')}`
    : `\\U${code.toString(16).padStart(8, '0')}`;
}

/** Python's `repr` of a string, as its error messages quote paths. */
export function repr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = Array.from(text, (char) => (char === quote ? `\\${char}` : escapeChar(char))).join('');
  return `${quote}${escaped}${quote}`;
}
