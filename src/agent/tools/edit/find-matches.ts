/**
 * Finding text in a file's bytes, so that what is not touched stays as it is, whatever its encoding (case E06). Every
 * line break counts as the same (case E05), since the model sees them all alike. Knuth-Morris-Pratt: linear whatever
 * the model asks for (T43).
 */

export interface Match {
  readonly start: number;
  readonly end: number;
}

const LF = 0x0a;
const CR = 0x0d;

/** Bytes that the break at `at` takes: 2 for CRLF, 1 for a lone CR or LF, 0 when there is none. */
function breakAt(bytes: Uint8Array, at: number): number {
  if (bytes[at] === CR) return bytes[at + 1] === LF ? 2 : 1;
  return bytes[at] === LF ? 1 : 0;
}

/** The bytes with every line break as a line feed. */
function normalise(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    const width = breakAt(bytes, at);
    out[length] = width > 0 ? LF : (bytes[at] ?? 0);
    length += 1;
    at += width || 1;
  }
  return out.subarray(0, length);
}

/** For each beginning of `wanted`, the length of the longest shorter beginning that it also ends with. */
function failures(wanted: Uint8Array): Uint32Array {
  const table = new Uint32Array(wanted.length);
  for (let at = 1, length = 0; at < wanted.length; at += 1) {
    while (length > 0 && wanted[at] !== wanted[length]) length = table[length - 1] ?? 0;
    if (wanted[at] === wanted[length]) length += 1;
    table[at] = length;
  }
  return table;
}

/** Where `symbols` characters begin that end at `end`. */
function startOf(file: Uint8Array, end: number, symbols: number): number {
  let at = end;
  for (let left = symbols; left > 0; left -= 1) at -= file[at - 1] === LF && file[at - 2] === CR ? 2 : 1;
  return at;
}

/** All matches from the left, none overlapping another. */
export function findMatches(file: Uint8Array, text: Uint8Array): readonly Match[] {
  const wanted = normalise(text);
  const table = failures(wanted);
  const matches: Match[] = [];
  let length = 0;
  for (let at = 0; at < file.length; ) {
    const width = breakAt(file, at);
    const symbol = width > 0 ? LF : file[at];
    while (length > 0 && wanted[length] !== symbol) length = table[length - 1] ?? 0;
    if (wanted[length] === symbol) length += 1;
    at += width || 1;
    if (length === wanted.length) {
      matches.push({ start: startOf(file, at, wanted.length), end: at });
      length = 0;
    }
  }
  return matches;
}
