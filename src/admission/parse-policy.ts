import { closest, distance } from 'fastest-levenshtein';
import { type Document, isScalar, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { POLICY_KEYS, PolicyFile } from './policy-schema.ts';

/** A mistake in a policy file, with the place where a person finds it. */
export interface PolicyProblem {
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

export type ParsedPolicy =
  | { readonly kind: 'policy'; readonly file: PolicyFile }
  | { readonly kind: 'problems'; readonly problems: readonly PolicyProblem[] };

const MAX_BYTES = 64 * 1024;
/** Farther than this a key is another word, not a slip. */
const MAX_SLIP = 3;

/** Parses a policy file. All mistakes at once, each with line and column and, for unknown keys, the nearest valid one. */
export function parsePolicy(text: string): ParsedPolicy {
  if (Buffer.byteLength(text) > MAX_BYTES) return problem('the file is larger than 64 KiB');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, merge: false });
  if (document.errors.length > 0) {
    const problems = document.errors.map((error) => {
      const { line, col } = lines.linePos(error.pos[0]);
      return {
        line,
        column: col,
        text: `not valid YAML: ${error.message.split('\n')[0]?.replace(/ at line.*/, '') ?? ''}`,
      };
    });
    return { kind: 'problems', problems };
  }
  const value = readValue(document);
  if (value === undefined) return problem('aliases are not allowed in a policy');
  const parsed = PolicyFile.safeParse(value ?? {});
  if (parsed.success) return { kind: 'policy', file: parsed.data };
  const problems = parsed.error.issues.flatMap((issue) => toProblems(issue, { document, lines }));
  return { kind: 'problems', problems: problems.toSorted((a, b) => a.line - b.line || a.column - b.column) };
}

/** Undefined where an alias is used: nothing a policy says needs one, and they multiply. */
function readValue(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    return undefined;
  }
}

function problem(text: string): ParsedPolicy {
  return { kind: 'problems', problems: [{ line: 1, column: 1, text }] };
}

interface Source {
  readonly document: Document;
  readonly lines: LineCounter;
}

function toProblems(issue: z.core.$ZodIssue, source: Source): PolicyProblem[] {
  const path = issue.path.map(String);
  if (issue.code !== 'unrecognized_keys') {
    const name = path.length > 0 ? `\`${path.join('.')}\` ` : 'the file ';
    return [{ ...placeOf([...issue.path], source), text: `${name}${toExpectation(issue)}` }];
  }
  return issue.keys.map((key) => {
    const full = [...path, key].join('.');
    const nearest = nearestKey(path.join('.'), key);
    const hint = nearest ? `; did you mean \`${[...path, nearest].join('.')}\`?` : '';
    return { ...placeOf([...issue.path, key], source), text: `\`${full}\` is not a known key${hint}` };
  });
}

function toExpectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input'))
    return issue.input === undefined
      ? 'is missing'
      : `should be ${issue.expected === 'object' ? 'a group of keys' : `a ${issue.expected}`}`;
  return issue.message.replace(/^Invalid input: expected/, 'should be');
}

function nearestKey(parent: string, key: string): string | null {
  const known = POLICY_KEYS[parent] ?? [];
  const best = known.length > 0 ? closest(key, known) : null;
  return best !== null && distance(key, best) <= MAX_SLIP ? best : null;
}

/** Line and column of a key (or of its nearest parent that is there), counted from 1. */
function placeOf(
  path: readonly PropertyKey[],
  { document, lines }: Source,
): { line: number; column: number } {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const offset = keyOffset(parent, path[length - 1]);
    if (offset !== null) {
      const { line, col } = lines.linePos(offset);
      return { line, column: col };
    }
  }
  return { line: 1, column: 1 };
}

function keyOffset(parent: unknown, key: PropertyKey | undefined): number | null {
  if (typeof parent !== 'object' || parent === null || !('items' in parent) || !Array.isArray(parent.items))
    return null;
  for (const [index, item] of parent.items.entries()) {
    if (item?.range && index === key) return item.range[0];
    if (isScalar(item?.key) && item.key.value === key) return item.key.range?.[0] ?? null;
  }
  return null;
}
