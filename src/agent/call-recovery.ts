import { type MarkedCall, parseMarkup } from './call-markup.ts';

export interface Recovered {
  /** The text before the markup. */
  readonly prose: string;
  readonly calls: readonly MarkedCall[];
}

/** A fence of Markdown: what stands inside is quoted. */
const FENCE = /^ {0,3}(?:```|~~~)/;
/** A genuine call begins a line; four blanks or a quotation mark before it make it an example. */
const BEGINNING = /^ {0,3}(?:<tool_call>|<function=|\{\s{0,9}"name")/;
/**
 * Finds tool calls that a server left in a text (cases D01, D02): markup that begins a line outside of code fences
 * and goes on to the end. Markup with prose after it, in a fence, indented or within a line is quoted, and stays
 * text.
 */
export function recoverCalls(text: string): Recovered | null {
  let fenced = false;
  let proseAt = 0;
  for (const { line, at } of linesOf(text)) {
    if (FENCE.test(line)) fenced = !fenced;
    // What was read once and led to prose leads there from its middle too; so every place is read once.
    else if (!fenced && at >= proseAt && BEGINNING.test(line)) {
      const markup = parseMarkup(text, at);
      if ('calls' in markup) return { prose: text.slice(0, at).trimEnd(), calls: markup.calls };
      proseAt = markup.proseAt;
    }
  }
  return null;
}

function* linesOf(text: string): Generator<{ readonly line: string; readonly at: number }> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end + 1;
    // Only the beginning of a line is looked at; lines may be megabytes.
    yield { line: text.slice(at, Math.min(next, at + 80)), at };
    at = next;
  }
}
