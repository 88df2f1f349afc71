import { isNode, isScalar, LineCounter, parseDocument, visit, type YAMLError } from 'yaml';
import type { z } from 'zod';
import { byteLength } from '../clip.ts';
import { nearestKey } from './nearest-key.ts';
import { type FilePlace, type PolicySourceText, placeOf } from './policy-places.ts';
import { PolicyFile } from './policy-schema.ts';

/** A mistake in a policy file, with the place where a person finds it. */
export interface PolicyProblem extends FilePlace {
  readonly text: string;
}

export type ParsedPolicy =
  | { readonly kind: 'policy'; readonly file: PolicyFile }
  | { readonly kind: 'problems'; readonly problems: readonly PolicyProblem[] };

const MAX_BYTES = 64 * 1024;
/** Deeper than any policy goes; far below where the parser would run out of stack. */
const MAX_DEPTH = 100;

/**
 * Parses a policy file: all mistakes at once, each with line and column, and for unknown keys the one that was meant.
 * `labels` are those that the server listens to: a policy that chooses another could never be asked.
 */
export function parsePolicy(
  text: string,
  { labels }: { readonly labels?: readonly string[] } = {},
): ParsedPolicy {
  if (byteLength(text) > MAX_BYTES) return problem('the file is larger than 64 KiB');
  const source = readYaml(text);
  if (source === null) return problem('not valid YAML: it is nested too deeply');
  const mistakes = findYamlMistakes(source);
  if (mistakes.length > 0) return { kind: 'problems', problems: mistakes };
  const value: unknown = source.document.toJS({ maxAliasCount: 0 });
  const parsed = PolicyFile.safeParse(value ?? {});
  const problems = parsed.success
    ? findForeignLabel(parsed.data, labels, source)
    : parsed.error.issues.flatMap((issue) => toProblems(issue, { value, source }));
  if (problems.length > 0 || !parsed.success) return { kind: 'problems', problems: inOrder(problems) };
  return { kind: 'policy', file: parsed.data };
}

/** Null when it nests deeper than a policy can: the parser calls itself for each level. */
function readYaml(text: string): PolicySourceText | null {
  // Every level needs a bracket, or a blank or dash at some line's start.
  const depth = Math.max((text.match(/[[{]/g) ?? []).length, longestIndent(text));
  if (depth > 10 * MAX_DEPTH) return null;
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, merge: false });
  return { document, lines };
}

function longestIndent(text: string): number {
  let longest = 0;
  for (const [indent] of text.matchAll(/^[\s?:-]*/gm)) longest = Math.max(longest, indent.length);
  return longest;
}

/** Mistakes of form. Tags and aliases are mistakes as well: nothing a policy says needs them, and they hide what it says. */
function findYamlMistakes({ document, lines }: PolicySourceText): readonly PolicyProblem[] {
  const place = (offset: number): FilePlace => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const problems = [...document.errors, ...document.warnings].map((error) => ({
    ...place(error.pos[0]),
    text: describeYamlError(error),
  }));
  const refuse = (node: unknown, text: string) =>
    problems.push({ ...place((isNode(node) && node.range?.[0]) || 0), text });
  visit(document, {
    Alias: (_, node) => void refuse(node, 'aliases are not allowed in a policy'),
    Pair: (_, { key }) => void (isScalar(key) || refuse(key, 'a key should be one word')),
  });
  return inOrder(problems);
}

function describeYamlError({ code, message }: YAMLError): string {
  if (code === 'MULTIPLE_DOCS') return 'there should be one document, without lines of `---`';
  if (code === 'DUPLICATE_KEY') return 'this key is there twice';
  const [first = ''] = message.split('\n');
  return `not valid YAML: ${first.replace(/ at line \d.*/, '')}`;
}

function inOrder(problems: readonly PolicyProblem[]): readonly PolicyProblem[] {
  return problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

function problem(text: string): ParsedPolicy {
  return { kind: 'problems', problems: [{ line: 1, column: 1, text }] };
}

function toProblems(
  issue: z.core.$ZodIssue,
  { value, source }: { readonly value: unknown; readonly source: PolicySourceText },
): PolicyProblem[] {
  if (issue.code !== 'unrecognized_keys') {
    const name = issue.path.length > 0 ? `\`${toName(issue.path)}\`` : 'the file';
    const isMissing = valueAt(value, issue.path) === undefined;
    return [{ ...placeOf(issue.path, source), text: `${name} ${isMissing ? 'is missing' : issue.message}` }];
  }
  const parent = issue.path.join('.');
  return issue.keys.map((key) => {
    const nearest = nearestKey(parent, key);
    const hint = nearest === null ? '' : `; did you mean \`${nearest}\`?`;
    const text = `\`${toName([...issue.path, key])}\` is not a known key${hint}`;
    return { ...placeOf([...issue.path, key], source), text };
  });
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Object.entries(at).find(([name]) => name === String(key))?.[1];
  }
  return at;
}

/** As people write it: `paths.deny[2]`. */
function toName(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}

function findForeignLabel(
  { label }: PolicyFile,
  labels: readonly string[] | undefined,
  source: PolicySourceText,
): readonly PolicyProblem[] {
  if (label === undefined || labels === undefined) return [];
  if (labels.some((name) => name.toLowerCase() === label.toLowerCase())) return [];
  const list = labels.map((name) => `\`${name}\``).join(', ');
  return [
    { ...placeOf(['label'], source), text: `\`label\` should be one that this server listens to: ${list}` },
  ];
}
