import { explainMiss } from './explain-miss.ts';
import { findMatches, type Match } from './find-matches.ts';
import { fitBreaks } from './line-breaks.ts';

/** Bytes that an edit may add. */
const MAX_ADDED = 64 * 1024 * 1024;

export interface EditRequest {
  readonly oldText: string;
  readonly newText: string;
  readonly scope: 'one' | 'all';
}

export type Edited =
  | { readonly kind: 'edited'; readonly bytes: Buffer; readonly count: number; readonly note: string }
  /** In the words of Leaf, with a reason after them where there is one. */
  | { readonly kind: 'refused'; readonly reason: string };

const refused = (reason: string): Edited => ({ kind: 'refused', reason });

/** Replaces text in bytes; every byte outside of the matches stays as it was. */
export function editBytes(bytes: Buffer, { oldText, newText, scope }: EditRequest): Edited {
  if (oldText === '') return refused('old_string must be non-empty');
  if (isWide(bytes)) return refused('the file is UTF-16 or UTF-32, which Edit cannot change; use Bash');
  const matches = findMatches(bytes, Buffer.from(oldText, 'utf8'));
  const [first] = matches;
  // One character a byte from here on: whatever the encoding is, nothing is lost.
  const file = bytes.toString('latin1');
  if (first === undefined) {
    const why = explainMiss(file, toLatin1(oldText));
    return refused(`old_string was not found${why === '' ? '' : ` (${why})`}`);
  }
  if (matches.length > 1 && scope === 'one')
    return refused(
      `old_string matched ${matches.length} times; set replace_all=true or use a more specific old_string`,
    );
  const replacement = toLatin1(newText);
  if (matches.length * replacement.length > MAX_ADDED) return refused('the file would become too large');
  const pieces: string[] = [];
  let from = 0;
  for (const match of matches) {
    pieces.push(file.slice(from, match.start), fitBreaks(file, match, replacement));
    from = match.end;
  }
  pieces.push(file.slice(from));
  const note = noteIndentation(file, first, newText);
  return { kind: 'edited', bytes: Buffer.from(pieces.join(''), 'latin1'), count: matches.length, note };
}

/** Text of two or four bytes a character, in which the bytes of UTF-8 text could match half of one (case E06). */
function isWide(bytes: Buffer): boolean {
  const mark = bytes.toString('latin1', 0, 2);
  if (mark === '\xff\xfe' || mark === '\xfe\xff') return true;
  const start = bytes.subarray(0, 1024);
  const zeros = (parity: number) => start.filter((byte, index) => byte === 0 && index % 2 === parity).length;
  const [even, odd] = [zeros(0), zeros(1)];
  return Math.min(even, odd) === 0 && Math.max(even, odd) * 3 > start.length;
}

function toLatin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/**
 * A match that begins after its line's indentation may be nested otherwise than the model thought, since servers
 * strip blanks at the start of an argument (case D04). It is the only such text, so it is replaced; but lines that
 * follow may now be indented wrongly, and that is said.
 */
function noteIndentation(file: string, { start }: Match, newText: string): string {
  const lineStart = Math.max(file.lastIndexOf('\n', start - 1), file.lastIndexOf('\r', start - 1)) + 1;
  const before = start === 0 ? '' : file.slice(lineStart, start);
  const [first = '', ...rest] = newText.split('\n');
  if (before === '' || before.trim() !== '' || /^\s/.test(first)) return '';
  const isShallower = rest.some((line) => line.trim() !== '' && indentation(line) < before.length);
  if (!isShallower) return '';
  const line = file.slice(0, start).split(/\r\n|\n|\r/).length;
  return `Note: old_string begins after the indentation of line ${line} (${before.length} characters), and lines of new_string are indented less. Check with Read that they are where they belong.`;
}

function indentation(line: string): number {
  return line.length - line.trimStart().length;
}
