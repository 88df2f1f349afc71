/**
 * Cutting text to a number of UTF-8 bytes without splitting what a reader sees as one character. Bytes are the stricter
 * unit: no text has fewer of them than UTF-16 units, so a text within its bytes is within every forge's count (E13).
 */

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** UTF-16 units looked at around a cut; longer than any real grapheme, short enough for texts of any size. */
const WINDOW = 128;

/** Size in UTF-8 bytes. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** The start of the grapheme that index `at` lies in; `at` itself when it is a boundary. */
function graphemeStart(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return at;
  const from = Math.max(0, at - WINDOW);
  const segment = graphemes.segment(text.slice(from, at + WINDOW)).containing(at - from);
  // A grapheme as long as the window is none that a reader would see as one character.
  const isCut = segment === undefined || (segment.index === 0 && from > 0);
  return isCut ? at : from + segment.index;
}

/** The longest beginning of at most `maxBytes` bytes that ends between two graphemes. */
export function takeHead(text: string, maxBytes: number): string {
  if (maxBytes <= 0) return '';
  if (text.length <= maxBytes && byteLength(text) <= maxBytes) return text;
  // No more than `maxBytes` UTF-16 units can fit, so the rest of a huge text is never looked at.
  const near = text.slice(0, maxBytes + WINDOW);
  const { read } = new TextEncoder().encodeInto(near, new Uint8Array(maxBytes));
  return near.slice(0, graphemeStart(near, read));
}

/** The longest end of at most `maxBytes` bytes that begins between two graphemes. */
export function takeTail(text: string, maxBytes: number): string {
  if (maxBytes <= 0) return '';
  if (text.length <= maxBytes && byteLength(text) <= maxBytes) return text;
  const near = text.slice(-(maxBytes + WINDOW));
  const bytes = Buffer.from(near, 'utf8');
  let start = bytes.length - maxBytes;
  // 10xxxxxx: inside a character.
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  const at = near.length - bytes.subarray(start).toString('utf8').length;
  const boundary = graphemeStart(near, at);
  return near.slice(boundary === at ? at : graphemeEnd(near, boundary));
}

function graphemeEnd(text: string, start: number): number {
  const segment = graphemes.segment(text.slice(start, start + 2 * WINDOW)).containing(0);
  return start + (segment?.segment.length ?? 1);
}

/** The text if it fits, else its beginning and an ellipsis, together within `maxBytes`. */
export function clipLine(text: string, maxBytes: number): string {
  if (byteLength(text) <= maxBytes) return text;
  return `${takeHead(text, Math.max(0, maxBytes - byteLength('…'))).trimEnd()}…`;
}

/** Room for the line that says what was left out. */
const NOTE_BYTES = 64;

/** The text if it fits in `maxBytes`, else its head (a third) and tail (two thirds: logs end with the news) around a note. */
export function clip(text: string, maxBytes: number): string {
  if (text.length <= maxBytes && byteLength(text) <= maxBytes) return text;
  const room = Math.max(0, maxBytes - NOTE_BYTES);
  const head = takeHead(text, Math.floor(room / 3));
  const tail = takeTail(text, room - byteLength(head));
  const omitted = byteLength(text) - byteLength(head) - byteLength(tail);
  return `${head}\n[… ${omitted.toLocaleString('en-US')} bytes left out …]\n${tail}`;
}
