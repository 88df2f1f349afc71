/**
 * Reads tool calls that a server left as text, in the two notations of the models we serve: JSON between tool_call
 * tags, and function/parameter tags. Everything is found with indexOf, in one pass: the text may be long and hostile.
 */

/** A call as found. `arguments` is JSON text; null when the markup is incomplete. */
export interface MarkedCall {
  readonly name: string | null;
  readonly arguments: string | null;
}

interface Block {
  readonly call: MarkedCall;
  readonly end: number;
}

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';
const FUNCTION = '<function=';
const FUNCTION_END = '</function>';
const PARAMETER = '<parameter=';
const PARAMETER_END = '</parameter>';
const NAME = /^[\w.-]{1,64}$/;
const JSON_NAME = /"name"\s{0,9}:\s{0,9}"([\w.-]{1,64})"/;
/** Tags that servers leave behind after a call. */
const STRAY_ENDS = [CLOSE, FUNCTION_END];

function skipBlank(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text.charAt(at))) at += 1;
  return at;
}

/** Calls looked for in one text: more than a turn may make. */
const MAX_BLOCKS = 64;

/** All calls to the end of the text; or the place where something else stands, since then it is prose about calls. */
export type Markup = { readonly calls: readonly MarkedCall[] } | { readonly proseAt: number };

export function parseMarkup(text: string, start: number): Markup {
  const calls: MarkedCall[] = [];
  let at = skipBlank(text, start);
  while (at < text.length) {
    const stray = STRAY_ENDS.find((tag) => text.startsWith(tag, at));
    const block = stray === undefined ? parseBlock(text, at) : null;
    if (stray === undefined && block === null) return { proseAt: at };
    if (block) calls.push(block.call);
    if (calls.length > MAX_BLOCKS) return { proseAt: text.length };
    at = skipBlank(text, block?.end ?? at + (stray?.length ?? 0));
  }
  return { calls };
}

function parseBlock(text: string, at: number): Block | null {
  const wrapped = text.startsWith(OPEN, at);
  const inner = wrapped ? skipBlank(text, at + OPEN.length) : at;
  if (text.startsWith(FUNCTION, inner)) return parseFunction(text, inner);
  if (text.startsWith('{', inner)) return parseJsonCall(text, inner);
  return wrapped ? broken(text, at + OPEN.length, null) : null;
}

/** An incomplete call takes everything up to the next opening tag. */
function broken(text: string, from: number, name: string | null): Block {
  const nexts = [text.indexOf(OPEN, from), text.indexOf(FUNCTION, from)].filter((next) => next >= 0);
  return { call: { name, arguments: null }, end: Math.min(text.length, ...nexts) };
}

function parseJsonCall(text: string, at: number): Block {
  const end = text.indexOf(CLOSE, at);
  const raw = text.slice(at, end < 0 ? text.length : end);
  const name = JSON_NAME.exec(raw)?.[1] ?? null;
  const value = end < 0 ? null : parseObject(raw);
  if (value === null || name === null) return broken(text, end < 0 ? at : end + CLOSE.length, name);
  const args = value.arguments ?? value.parameters ?? {};
  const call = { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) };
  return { call, end: end + CLOSE.length };
}

function parseObject(raw: string): { readonly [key: string]: unknown } | null {
  try {
    const value: unknown = JSON.parse(raw);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function parseFunction(text: string, at: number): Block {
  const nameEnd = text.indexOf('>', at);
  const name = text.slice(at + FUNCTION.length, nameEnd < 0 ? text.length : nameEnd).trim();
  if (nameEnd < 0 || !NAME.test(name)) return broken(text, at + FUNCTION.length, null);
  const parameters: Record<string, string> = {};
  let place = skipBlank(text, nameEnd + 1);
  while (text.startsWith(PARAMETER, place)) {
    const keyEnd = text.indexOf('>', place);
    const valueEnd = keyEnd < 0 ? -1 : findValueEnd(text, keyEnd + 1);
    if (valueEnd < 0) return broken(text, place + PARAMETER.length, name);
    const key = text.slice(place + PARAMETER.length, keyEnd).trim();
    if (key !== '__proto__') parameters[key] = trimLines(text.slice(keyEnd + 1, valueEnd));
    place = skipBlank(text, valueEnd + PARAMETER_END.length);
  }
  if (!text.startsWith(FUNCTION_END, place)) return broken(text, place, name);
  return { call: { name, arguments: JSON.stringify(parameters) }, end: place + FUNCTION_END.length };
}

/** A value may hold the closing tag as text (case D05): the one that counts is followed by markup. */
function findValueEnd(text: string, from: number): number {
  for (let end = text.indexOf(PARAMETER_END, from); end >= 0; end = text.indexOf(PARAMETER_END, end + 1)) {
    const next = skipBlank(text, end + PARAMETER_END.length);
    if (text.startsWith(PARAMETER, next) || text.startsWith(FUNCTION_END, next)) return end;
  }
  return -1;
}

/** The notation puts values on lines of their own; those two line breaks are not part of them. */
function trimLines(value: string): string {
  return value.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
}
