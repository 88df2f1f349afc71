import type { Match } from './find-matches.ts';

const BREAK = /\r\n|\n|\r/g;
/** How far the next line break is looked for, bytes. */
const NEAR = 4096;

/** Of a Latin-1 text: the line break that most of its lines have; a line feed where there is none. */
export function mainBreak(text: string): string {
  const counts = new Map<string, number>();
  for (const [found] of text.matchAll(BREAK)) counts.set(found, (counts.get(found) ?? 0) + 1);
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  return most?.[0] ?? '\n';
}

/** The text with every line break as given. */
export function withBreaks(text: string, lineBreak: string): string {
  return text.replace(/\r\n|\n/g, lineBreak);
}

/** The break that ends the line at `at`, else the one before it. */
function breakNear(file: string, at: number): string {
  const after = /\r\n|\n|\r/.exec(file.slice(at, at + NEAR))?.[0];
  if (after !== undefined) return after;
  return [...file.slice(Math.max(0, at - NEAR), at).matchAll(BREAK)].at(-1)?.[0] ?? '\n';
}

/**
 * The replacement for one match with the file's own line breaks: lines that old and new text have in common at start
 * and end keep theirs one by one, the others get that of the line where they stand. So only the intended lines
 * differ, also in a file with mixed endings (case E05).
 */
export function fitBreaks(file: string, { start, end }: Match, replacement: string): string {
  const oldText = file.slice(start, end);
  const breaks = oldText.match(BREAK) ?? [];
  const oldLines = oldText.split(BREAK);
  const newLines = replacement.split(/\r\n|\n/);
  const count = newLines.length - 1;
  if (count === 0) return replacement;
  const most = Math.min(breaks.length, count);
  const same = (a: number, b: number) => oldLines.at(a) === newLines.at(b);
  let head = 0;
  while (head < most && same(head, head)) head += 1;
  let tail = 0;
  while (tail < most - head && same(-1 - tail, -1 - tail)) tail += 1;
  const near = breaks[Math.min(head, breaks.length - 1)] ?? breakNear(file, end);
  return newLines.reduce((text, line, index) => {
    if (index === 0) return line;
    const place = index - 1;
    const own = place < head ? breaks[place] : breaks[breaks.length - (count - place)];
    const kept = place < head || place >= count - tail ? own : near;
    return `${text}${kept ?? near}${line}`;
  }, '');
}
