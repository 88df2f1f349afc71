import { mainBreak, withBreaks } from './edit/line-breaks.ts';

const BOM = '\ufeff';

export interface Before {
  /** The file as it is, or its beginning; null when there is none. */
  readonly old: Buffer | null;
  /** Beginning of a file beside it with the same ending of its name. */
  readonly neighbour: Buffer | null;
}

/**
 * The bytes that Write leaves (docs/decisions): line breaks and byte order mark of the file that was there, else the
 * line breaks of its neighbour (case E05), and a final newline, which servers strip from arguments, unless the old
 * file had none (case D04).
 */
export function fitContent(content: string, { old, neighbour }: Before): Buffer {
  const had = (old ?? neighbour)?.toString('latin1') ?? '';
  const endsOpen = old !== null && old.length > 0 && !/[\r\n]$/.test(had);
  const ended = content === '' || endsOpen || /[\r\n]$/.test(content) ? content : `${content}\n`;
  // A file that has CRLF of its own in the content is meant that way.
  const lineBreak = content.includes('\r') ? '\n' : mainBreak(had);
  const fitted = lineBreak === '\r\n' ? withBreaks(ended, lineBreak) : ended;
  const hadMark =
    old !== null && had.startsWith('\xef\xbb\xbf') && content !== '' && !content.startsWith(BOM);
  return Buffer.from(hadMark ? BOM + fitted : fitted, 'utf8');
}
