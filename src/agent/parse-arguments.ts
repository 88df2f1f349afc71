/** Arguments as an object with their text for the history, or what was wrong with them. */
export type ParsedArguments =
  | { readonly kind: 'object'; readonly value: Readonly<Record<string, unknown>>; readonly text: string }
  | { readonly kind: 'malformed'; readonly problem: string };

const OBJECT_EXPECTED = 'the arguments must be one JSON object';
/** Servers parse the history again, some with a small stack. */
const MAX_DEPTH = 64;
/** An escape that may stand for half a character, on which tokenizers fail. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

const malformed = (problem: string): ParsedArguments => ({ kind: 'malformed', problem });

/**
 * Parses the text that the model wrote. Blank text is an object without members; an object within a string is
 * unpacked once.
 */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === '') return { kind: 'object', value: {}, text: '{}' };
  if (nestingOf(text) > MAX_DEPTH) return malformed(`${OBJECT_EXPECTED}, nested less deeply`);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'string') return toObject(value, text);
    return nestingOf(value) > MAX_DEPTH ? malformed(OBJECT_EXPECTED) : toObject(JSON.parse(value), value);
  } catch (thrown) {
    return malformed(`${OBJECT_EXPECTED}: ${thrown instanceof Error ? thrown.message : ''}`);
  }
}

function toObject(value: unknown, text: string): ParsedArguments {
  if (value === null) return { kind: 'object', value: {}, text: '{}' };
  if (typeof value !== 'object' || Array.isArray(value)) return malformed(OBJECT_EXPECTED);
  if (!SURROGATE_ESCAPE.test(text)) return { kind: 'object', value: { ...value }, text };
  const clean = JSON.stringify(value, (_key, each) =>
    typeof each === 'string' ? each.toWellFormed() : each,
  );
  return { kind: 'object', value: { ...JSON.parse(clean) }, text: clean };
}

/** Depth of brackets outside of strings. */
function nestingOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[{]|[\]}]/gs)) {
    if (token === '[' || token === '{') deepest = Math.max(deepest, ++depth);
    else if (token === ']' || token === '}') depth -= 1;
  }
  return deepest;
}
