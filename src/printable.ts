/**
 * Untrusted text made safe to store and to show: terminal sequences, control characters, and characters that reorder or
 * hide text are taken out once, where the text comes in (T45). Line feeds and tabs stay; every other line break becomes
 * a line feed, so that a carriage return cannot overwrite what was written before it.
 */

/** ECMA-48 sequences in 7- and 8-bit form: control strings (OSC, DCS, SOS, PM, APC), CSI, and two-character escapes. */
const TERMINAL_SEQUENCES = [
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d\u009e\u009f])[^\u0007\u001b\u009c\n]{0,4096}(?:\u0007|\u001b\\|\u009c)?/g,
  /(?:\u001b\[|\u009b)[0-?]{0,256}[ -/]{0,16}[@-~]?/g,
  /\u001b[ -/]{0,16}[0-~]?/g,
];

const LINE_BREAKS = /\r\n|[\r\u0085\u2028\u2029\u000b\u000c]/g;

const CONTROLS = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g;

/** Bidi controls, invisible and filler characters, tag characters, variation selectors, non-characters. */
const INVISIBLE = [
  /[\u00ad\u061c\u115f\u1160\u180e\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffc\ufffe\uffff]/g,
  /\u034f|\u17b4|\u17b5|[\u180b-\u180d\u180f]|[\ufe00-\ufe0e]/g,
  /[\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu,
  // The joiner and the emoji selector stay next to a pictograph, where they are part of what is seen.
  /(?<!\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})\u200d|\u200d(?!\p{Extended_Pictographic})/gu,
  /(?<!\p{Extended_Pictographic}|[0-9#*])\ufe0f/gu,
];

/** More marks on one letter than any script needs: text that climbs over its neighbours. */
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;

/** The text with nothing in it that acts on a terminal or hides from a reader. Total; the result is well-formed Unicode. */
export function printable(text: string): string {
  let clean = text.toWellFormed();
  for (const sequence of TERMINAL_SEQUENCES) clean = clean.replace(sequence, '');
  clean = clean.replace(LINE_BREAKS, '\n').replace(CONTROLS, '');
  for (const invisible of INVISIBLE) clean = clean.replace(invisible, '');
  return clean.replace(STACKED_MARKS, '$1');
}

/** Bytes from a sandbox as printable text. Broken UTF-8 becomes U+FFFD, which is seen as what it is. */
export function printableBytes(bytes: Uint8Array): string {
  return printable(new TextDecoder('utf-8').decode(bytes));
}
