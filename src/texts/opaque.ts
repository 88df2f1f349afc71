/**
 * Finds runs in prose that look like encoded data: the way by which something read in the sandbox could leave through a
 * draft unnoticed (T17). A person's explanation has no need of them, so they are taken out whatever they hold. It is a
 * coarse net below the real defence, which is that a sandbox holds no secret.
 */

const REPLACEMENT = '(redacted)';

/** Wide forms of ASCII, which read the same and would pass unseen. */
const WIDE = /[\uff01-\uff5e]/g;

/** Without a blank, and longer than words are; names of code are too, and are told apart below. */
const LONG_RUN = /[^\s]{20,}/g;

/** Byte values or single letters one after the other: `66 6f 6f …`, `102, 111, …`, `f-o-o-…`, `01100110 …`. */
const SPELLED_OUT = [
  /(?<![A-Za-z0-9])(?:(?:0x|\\x|%|\\u|U\+)?[0-9a-f]{1,4}[^A-Za-z0-9]{1,4}){15,}(?:0x|\\x|%|\\u|U\+)?[0-9a-f]{1,4}(?![A-Za-z0-9])/gi,
  /(?<![A-Za-z0-9])(?:U\+[0-9a-f]{2,6}[^A-Za-z0-9]{1,4}){3,}U\+[0-9a-f]{2,6}/gi,
  /(?<![A-Za-z0-9])(?:[A-Za-z0-9]{1,2}[^A-Za-z0-9]{1,3}){15,}[A-Za-z0-9]{1,2}(?![A-Za-z0-9])/g,
  /(?:[01]{7,8}[^A-Za-z0-9]{1,3}){6,}[01]{7,8}/g,
];

/** Four or more pieces in a row that are no words: with digits in them, or capitals in odd places. */
const PIECE =
  '(?:(?=[A-Za-z+/]*\\d)[A-Za-z0-9+/]{5,16}|(?=[A-Za-z+/]*[a-z][A-Z]+[a-z]*[A-Z])[A-Za-z+/]{5,16})=*';
const PIECES = new RegExp(
  `(?<![A-Za-z0-9])(?:${PIECE}[\\s,;:|-]{1,3}){3,}(?:${PIECE}|[A-Za-z0-9+/=]{1,4}(?![A-Za-z0-9]))`,
  'g',
);

/** How often the kind of character changes between letters of either case and digits, per character. */
function changeRate(run: string): number {
  const kinds = run
    .replace(/[a-z]/g, 'a')
    .replace(/[A-Z]/g, 'A')
    .replace(/\d/g, '0')
    .replace(/[^aA0]/g, '');
  let changes = 0;
  for (let i = 1; i < kinds.length; i += 1) if (kinds[i] !== kinds[i - 1]) changes += 1;
  return kinds.length < 16 ? 0 : changes / kinds.length;
}

/** Words and names seldom change between capitals and small letters more often than this. */
const ODD_CHANGE_RATE = 0.4;

function looksEncoded(run: string): boolean {
  if (/\d{20}/.test(run)) return true;
  // Digits between letters, again and again: Base32, hexadecimal, passwords.
  if ((run.match(/(?<=[A-Za-z])\d+(?=[A-Za-z])/g) ?? []).length >= 3) return true;
  // Bytes escaped one by one.
  if ((run.match(/[%\\#;][xu]?\d*[0-9a-f]{2}/gi) ?? []).length >= 6) return true;
  return changeRate(run) >= ODD_CHANGE_RATE;
}

/** The text with every run that looks like encoded data replaced by `(redacted)`. */
export function redactOpaque(text: string): string {
  let clean = text
    .replace(WIDE, (char) => String.fromCharCode(char.charCodeAt(0) - 0xfee0))
    .replace(LONG_RUN, (run) => (looksEncoded(run) ? REPLACEMENT : run));
  for (const spelled of [...SPELLED_OUT, PIECES]) clean = clean.replace(spelled, REPLACEMENT);
  return clean;
}
