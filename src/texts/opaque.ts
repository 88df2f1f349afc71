/**
 * Finds runs in prose that look like encoded data: the way by which something read in the sandbox could leave through a
 * draft unnoticed (T17). A person's explanation has no need of them, so they are taken out whatever they hold.
 */

const REPLACEMENT = '(redacted)';

/** Characters of hexadecimal, Base32, Base64 and Base85-like text, in a run longer than words are. */
const LONG_RUN = /[A-Za-z0-9+/=_%\\&#;!$*^|~-]{20,}/g;

/** Byte values or single letters one after the other: `66 6f 6f …`, `102, 111, …`, `f-o-o-…`, `01100110 …`. */
const SPELLED_OUT = [
  /(?<![A-Za-z0-9])(?:(?:0x|\\x|%|\\u)?[0-9a-f]{1,4}[^A-Za-z0-9]{1,4}){11,}(?:0x|\\x|%)?[0-9a-f]{1,4}(?![A-Za-z0-9])/gi,
  /(?<![A-Za-z0-9])(?:[A-Za-z0-9]{1,2}[^A-Za-z0-9]{1,3}){11,}[A-Za-z0-9]{1,2}(?![A-Za-z0-9])/g,
  /(?:[01]{7,8}[^A-Za-z0-9]{1,3}){6,}[01]{7,8}/g,
  /(?:[.-]{1,6}[ /|]{1,3}){12,}[.-]{1,6}/g,
];

/** How often the kind of character changes between letters of either case and digits; words and paths seldom do. */
function countChanges(run: string): number {
  const kinds = run
    .replace(/[a-z]/g, 'a')
    .replace(/[A-Z]/g, 'A')
    .replace(/[0-9]/g, '0')
    .replace(/[^aA0]/g, '');
  let changes = 0;
  for (let i = 1; i < kinds.length; i += 1) if (kinds[i] !== kinds[i - 1]) changes += 1;
  return changes;
}

const CHANGES_PER_CHARACTER = 0.22;

function looksEncoded(run: string): boolean {
  const letters = run.replace(/[^A-Za-z0-9]/g, '').length;
  if (letters < 16) return false;
  return countChanges(run) / letters >= CHANGES_PER_CHARACTER;
}

/** The text with every run that looks like encoded data replaced by `(redacted)`. */
export function redactOpaque(text: string): string {
  let clean = text.replace(LONG_RUN, (run) => (looksEncoded(run) ? REPLACEMENT : run));
  for (const spelled of SPELLED_OUT) clean = clean.replace(spelled, REPLACEMENT);
  return clean;
}
