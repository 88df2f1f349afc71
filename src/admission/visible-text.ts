/**
 * Text as a reader of the page sees it: what is invisible there must not reach the model (T39). Never a security
 * boundary, since the model has no power worth steering; it keeps the prompt equal to what people approved.
 */

const HTML_COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
/** Zero-width, bidirectional controls, Unicode tags, variation selectors beyond emoji style, soft hyphen, fillers. */
const INVISIBLE =
  /\u034f|\u17b4|\u17b5|\u180b|\u180c|\u180d|\u180f|[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}]|[\u{e0000}-\u{e0fff}]/gu;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

export interface VisibleText {
  readonly text: string;
  /** Pieces that were taken out. */
  readonly hidden: number;
}

/** Removes what a reader can't see and counts it; line ends become `\n`. */
export function toVisible(raw: string): VisibleText {
  let hidden = 0;
  const drop = (): string => {
    hidden += 1;
    return '';
  };
  const text = raw
    .replace(/\r\n?/g, '\n')
    .replace(HTML_COMMENT, drop)
    .replace(INVISIBLE, drop)
    .replace(CONTROL, drop)
    .trim();
  return { text, hidden };
}
