import type { ToolCall } from '../model/types.ts';
import type { MarkedCall } from './call-markup.ts';
import { parseArguments } from './parse-arguments.ts';
import { neutraliseControl } from './special-tokens.ts';

/** A call as the history holds it, with what is to be done about it. */
export interface PlannedCall {
  readonly call: ToolCall;
  /** Null: not to be run. */
  readonly args: Readonly<Record<string, unknown>> | null;
  /** What the model is told instead; empty when the call can be run. */
  readonly problem: string;
}

export interface CallRules {
  readonly toolNames: readonly string[];
  readonly turn: number;
  /** Ids of earlier calls; those of this turn are added. */
  readonly usedIds: Set<string>;
}

/** Calls of one turn that are answered; a model that makes more is told so by what is missing (T43). */
export const MAX_CALLS = 32;
const MAX_SHOWN = 2_000;
const ID = /^[\w.:-]{1,64}$/;
const NAME = /^[\w-]{1,64}$/;

/** The tool's own name where only the case differs. */
function correctName(name: string, toolNames: readonly string[]): string {
  if (toolNames.includes(name)) return name;
  return toolNames.find((each) => each.toLowerCase() === name.trim().toLowerCase()) ?? name;
}

/** Ids must be unique in the whole conversation, and some servers count from zero in each turn. */
function uniqueId(id: string, place: number, { turn, usedIds }: CallRules): string {
  const unique = ID.test(id) && !usedIds.has(id) ? id : `call_t${turn}_${place}`;
  usedIds.add(unique);
  return unique;
}

/**
 * Makes calls that every server accepts in the history (case D06): known or at least lawful names, unique ids, and
 * arguments that parse to an object. Text that does not parse is kept as the value of one member, so that the model
 * can see what it wrote.
 */
export function planCalls(calls: readonly ToolCall[], rules: CallRules): readonly PlannedCall[] {
  return calls.slice(0, MAX_CALLS).map((given, index) => {
    const id = uniqueId(given.id, index + 1, rules);
    const known = correctName(given.function.name, rules.toolNames);
    const name = NAME.test(known) ? known : 'unknown_tool';
    const text = neutraliseControl(given.function.arguments.toWellFormed());
    const parsed = parseArguments(text);
    const written = parsed.kind === 'object' ? parsed.text : malformed(text);
    const call: ToolCall = { id, type: 'function', function: { name, arguments: written } };
    if (!rules.toolNames.includes(known))
      return { call, args: null, problem: `Unknown tool: ${known.slice(0, 100)}` };
    if (parsed.kind === 'object') return { call, args: parsed.value, problem: '' };
    const advice = 'Nothing was run. Make the call again with valid arguments.';
    return { call, args: null, problem: `ValueError: ${parsed.problem.slice(0, MAX_SHOWN)}. ${advice}` };
  });
}

function malformed(text: string): string {
  return JSON.stringify({ malformed_arguments: text.slice(0, MAX_SHOWN).toWellFormed() });
}

/**
 * Recovered markup as calls of the protocol; incomplete markup becomes a call whose arguments don't parse, to be
 * answered as such.
 */
export function toToolCalls(marked: readonly MarkedCall[]): readonly ToolCall[] {
  return marked.map(({ name, arguments: args }) => ({
    id: '',
    type: 'function',
    function: { name: name ?? 'unknown_tool', arguments: args ?? '(incomplete)' },
  }));
}
