import { countChars, LINE_BREAK, takeChars, truncated } from '../python-text.ts';

export interface LineNumberer {
  add(text: string): void;
  /** The numbered lines after `first`, cut at `maxChars` altogether. */
  end(): string;
}

export interface LineRange {
  /** First line shown, from 1. */
  readonly offset: number;
  /** Lines shown at most; not above 0 = all. */
  readonly limit: number;
  readonly maxChars: number;
}

/**
 * Numbers lines as they stream by (case E18): only what is shown is kept, the rest is counted. `first` is the line
 * that names the file.
 */
export function createLineNumberer(first: string, { offset, limit, maxChars }: LineRange): LineNumberer {
  let kept = '';
  let chars = 0;
  let line = 1;
  let isBegun = false;
  let heldReturn = false;
  const last = limit > 0 ? offset + limit - 1 : Number.POSITIVE_INFINITY;

  function show(text: string): void {
    const room = maxChars - chars;
    if (room > 0) kept += takeChars(text, room);
    chars += countChars(text);
  }
  function addToLine(text: string): void {
    const isShown = line >= offset && line <= last;
    if (isShown && !isBegun) show(`\n${line}. `);
    isBegun = true;
    if (isShown) show(text);
  }
  function endLine(before: string): void {
    addToLine(before);
    line += 1;
    isBegun = false;
  }
  function addWhole(text: string): void {
    let from = 0;
    for (const { 0: found, index } of text.matchAll(LINE_BREAK)) {
      endLine(text.slice(from, index));
      from = index + found.length;
    }
    if (from < text.length) addToLine(text.slice(from));
  }

  show(first);
  return {
    add(text) {
      const whole = heldReturn ? `\r${text}` : text;
      // The line feed that belongs to it may come with the next piece.
      heldReturn = whole.endsWith('\r');
      addWhole(heldReturn ? whole.slice(0, -1) : whole);
    },
    end() {
      if (heldReturn) endLine('');
      return chars <= maxChars ? kept : `${kept}\n${truncated(chars - maxChars)}`;
    },
  };
}
