/**
 * One name of a pattern against one name of a path, as Python's `fnmatch` does, in time linear in their product
 * (T43).
 */

type Token =
  | { readonly kind: 'any' }
  | { readonly kind: 'one' }
  | { readonly kind: 'char'; readonly char: string }
  | {
      readonly kind: 'set';
      readonly negated: boolean;
      readonly ranges: readonly (readonly [string, string])[];
    };

export interface NamePattern {
  readonly tokens: readonly Token[];
  /** Characters that a matching name has at least. */
  readonly least: number;
}

export function parseName(pattern: string): NamePattern {
  const chars = Array.from(pattern);
  const tokens: Token[] = [];
  for (let at = 0; at < chars.length; ) {
    const char = chars[at] ?? '';
    const end = char === '[' ? findSetEnd(chars, at) : -1;
    if (end >= 0) tokens.push(parseSet(chars.slice(at + 1, end)));
    else if (char === '*') tokens.push({ kind: 'any' });
    else tokens.push(char === '?' ? { kind: 'one' } : { kind: 'char', char });
    at = end >= 0 ? end + 1 : at + 1;
  }
  return { tokens, least: tokens.filter((token) => token.kind !== 'any').length };
}

/** Index of the bracket that closes a set; a bracket right at its start belongs to it. -1: no set. */
function findSetEnd(chars: readonly string[], at: number): number {
  let from = at + 1;
  if (chars[from] === '!') from += 1;
  if (chars[from] === ']') from += 1;
  return chars.indexOf(']', from);
}

function parseSet(inner: readonly string[]): Token {
  const negated = inner[0] === '!';
  const chars = negated ? inner.slice(1) : inner;
  const ranges: [string, string][] = [];
  for (let at = 0; at < chars.length; ) {
    const first = chars[at] ?? '';
    const last = chars[at + 1] === '-' ? chars[at + 2] : undefined;
    ranges.push([first, last ?? first]);
    at += last === undefined ? 1 : 3;
  }
  return { kind: 'set', negated, ranges };
}

/** By code point. */
function compare(a: string, b: string): number {
  return (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0);
}

function fits(token: Token | undefined, char: string): boolean {
  if (token === undefined || token.kind === 'any') return false;
  if (token.kind === 'one') return true;
  if (token.kind === 'char') return token.char === char;
  return (
    token.ranges.some(([first, last]) => compare(first, char) <= 0 && compare(char, last) <= 0) !==
    token.negated
  );
}

/** Goes back to the last `*` only: what an earlier one took can stay as it is. */
export function matchesName({ tokens, least }: NamePattern, name: string): boolean {
  const chars = /[\ud800-\udfff]/.test(name) ? Array.from(name) : name;
  if (chars.length < least) return false;
  let [at, token, star, mark] = [0, 0, -1, 0];
  while (at < chars.length) {
    if (tokens[token]?.kind === 'any') {
      star = token;
      mark = at;
      token += 1;
    } else if (fits(tokens[token], chars[at] ?? '')) {
      at += 1;
      token += 1;
    } else if (star >= 0) {
      mark += 1;
      at = mark;
      token = star + 1;
    } else return false;
  }
  while (tokens[token]?.kind === 'any') token += 1;
  return token === tokens.length;
}
