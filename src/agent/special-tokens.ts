/**
 * Literals that a model server may read as control tokens: a file or an issue that holds `<|im_start|>system` would
 * begin a turn of its own (T06). They are shown with a broken bar instead, which no tokenizer knows, and which the
 * model can copy: tool arguments are turned back before a tool sees them, so that files with such literals can still
 * be read and edited.
 */

/** Names between `<` and `>` that are tokens, or tags of tool calls, in the families that such servers run. */
const TAG_NAMES = [
  ...['tool_call', 'tool_response', 'think', 'function', 'parameter', 'function_calls', 'function_results'],
  ...['start_of_turn', 'end_of_turn', 'start_of_image', 'end_of_image', 's', 'bos', 'eos', 'pad', 'unk'],
];
const SQUARE_NAMES = [
  'INST',
  'SYSTEM_PROMPT',
  'AVAILABLE_TOOLS',
  'TOOL_CALLS',
  'TOOL_RESULTS',
  'TOOL_CONTENT',
];

const tags = `(/?(?:${TAG_NAMES.join('|')})>|(?:function|parameter)=)`;
const squares = `(/?(?:${SQUARE_NAMES.join('|')})\\])`;

/** `<|name|>` with ASCII or fullwidth bars: whatever the name is, so that tokens of models yet to come are in it. */
const BARRED = /<([|\uff5c])([^\s|\uff5c<>]{1,64})([|\uff5c])>/g;
const BARRED_SHOWN = /<(\u00a6{1,2})([^\s\u00a6<>]{1,64})(\u00a6{1,2})>/g;
const TAGGED = new RegExp(`<${tags}`, 'g');
const TAGGED_SHOWN = new RegExp(`<\u00a6${tags}`, 'g');
const SQUARED = new RegExp(`\\[${squares}`, 'g');
const SQUARED_SHOWN = new RegExp(`\\[\u00a6${squares}`, 'g');
const SYS = /<<(\/?SYS>>)/g;
const SYS_SHOWN = /<\u00a6<(\/?SYS>>)/g;

const shownBar = (bar: string) => (bar === '|' ? '\u00a6' : '\u00a6\u00a6');
const trueBar = (bar: string) => (bar.length === 1 ? '|' : '\uff5c');

/** Control tokens alone, for the model's own turns, whose think tags and call markup belong to its dialect. */
export function neutraliseControl(text: string): string {
  return text.replace(BARRED, (_, open, name, close) => `<${shownBar(open)}${name}${shownBar(close)}>`);
}

/** Untrusted text for the model: no literal in it is a special token. The result is well-formed Unicode. */
export function neutralise(text: string): string {
  return neutraliseControl(text.toWellFormed())
    .replace(TAGGED, '<\u00a6$1')
    .replace(SQUARED, '[\u00a6$1')
    .replace(SYS, '<\u00a6<$1');
}

/** What the model copied from neutralised text, as it stands in the files. */
export function restore(text: string): string {
  return text
    .replace(BARRED_SHOWN, (_, open, name, close) => `<${trueBar(open)}${name}${trueBar(close)}>`)
    .replace(TAGGED_SHOWN, '<$1')
    .replace(SQUARED_SHOWN, '[$1')
    .replace(SYS_SHOWN, '<<$1');
}
