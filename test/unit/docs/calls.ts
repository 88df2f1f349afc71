/** A call found in source text, with the source of each argument. */
export interface Call {
  readonly callee: string;
  readonly line: number;
  readonly args: readonly string[];
}

const OPEN = '([{';
const CLOSE = ')]}';

/** Calls whose callee matches. Enough of a reader for formatted code: it knows nesting and strings, not regular expressions. */
export function findCalls(text: string, callee: RegExp): readonly Call[] {
  return [...text.matchAll(callee)].map((match) => {
    const start = match.index + match[0].length;
    const line = text.slice(0, match.index).split('\n').length;
    return { callee: match[0].slice(0, -1), line, args: splitArguments(text, start) };
  });
}

/** Sources of the arguments from behind an opening bracket up to the one that closes it. */
function splitArguments(text: string, start: number): readonly string[] {
  const args: string[] = [];
  let depth = 0;
  let from = start;
  for (let at = start; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (`'"\``.includes(char)) at = endOfString(text, at);
    else if (OPEN.includes(char)) depth += 1;
    else if (CLOSE.includes(char) && depth > 0) depth -= 1;
    else if ((char === ',' || char === ')') && depth === 0) {
      const argument = text.slice(from, at).trim();
      if (argument !== '') args.push(argument);
      from = at + 1;
      if (char === ')') break;
    }
  }
  return args;
}

/** Place of the quote that ends the string that starts at `at`; a template is skipped as a whole. */
function endOfString(text: string, at: number): number {
  const quote = text.charAt(at);
  for (let end = at + 1; end < text.length; end += 1) {
    if (text.charAt(end) === '\\') end += 1;
    else if (text.charAt(end) === quote) return end;
  }
  return text.length;
}
