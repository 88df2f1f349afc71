import { repr } from '../python-text.ts';

/** Lines listed at most. */
const MAX_PLACES = 5;
const BREAK = /\r\n|\n|\r/;

/**
 * Why text was not found (case D04): what it differs in, and where, so that the model can mend its call. Servers
 * strip white space from arguments, so that is looked at first. Both texts are Latin-1 views of bytes.
 */
export function explainMiss(file: string, wanted: string): string {
  if (wanted.includes('\xef\xbf\xbd'))
    return 'it holds U+FFFD, which stands for bytes that are not UTF-8; choose text without it';
  const fileLines = file.split(BREAK);
  const lines = trimEnds(wanted.split(BREAK));
  if (lines.length === 0) return '';
  const places = findLines(fileLines, lines);
  if (places.length === 0) return '';
  const [first = 0] = places;
  const there = fileLines.slice(first, first + lines.length);
  const where = places.map((place) => place + 1).join(', ');
  const more = places.length === MAX_PLACES ? ' and perhaps more' : '';
  const shown = Buffer.from(there[0] ?? '', 'latin1')
    .toString('utf8')
    .slice(0, 200);
  return `it differs only in ${nameDifference(there, lines)} from the text at line ${where}${more}; the first line there is ${repr(shown)}`;
}

function trimEnds(lines: readonly string[]): readonly string[] {
  let [start, end] = [0, lines.length];
  while (start < end && lines[start]?.trim() === '') start += 1;
  while (end > start && lines[end - 1]?.trim() === '') end -= 1;
  return lines.slice(start, end);
}

/** Indexes of lines where `lines` stand, white space at their ends aside. */
function findLines(fileLines: readonly string[], lines: readonly string[]): readonly number[] {
  const wanted = lines.map((line) => line.trim());
  const trimmed = fileLines.map((line) => line.trim());
  const places: number[] = [];
  for (let at = trimmed.indexOf(wanted[0] ?? ''); at >= 0; at = trimmed.indexOf(wanted[0] ?? '', at + 1)) {
    if (wanted.every((line, index) => trimmed[at + index] === line)) places.push(at);
    if (places.length === MAX_PLACES) break;
  }
  return places;
}

function nameDifference(there: readonly string[], wanted: readonly string[]): string {
  if (there.every((line, index) => line === wanted[index])) return 'a first or final newline';
  if (there.every((line, index) => line.trimEnd() === wanted[index]?.trimEnd())) return 'trailing whitespace';
  return there.every((line, index) => line.trimStart() === wanted[index]?.trimStart())
    ? 'leading whitespace'
    : 'leading and trailing whitespace';
}
