/** Format characters and all else that file systems or readers pass over: joiners, bidi controls, fillers, selectors. */
const IGNORABLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const ASCII = /^[\x20-\x7e]*$/;

/**
 * A name as the most forgiving file system would see it: compatibility-normalised, without ignorable characters, case
 * folded, without the trailing dots and spaces or the stream suffix that Windows drops. Names that fold alike must not be
 * told apart by a rule (T10, T31).
 */
export function foldSegment(segment: string): string {
  const plain = ASCII.test(segment)
    ? segment.toLowerCase()
    : segment
        .normalize('NFKC')
        .replace(IGNORABLE, '')
        .toUpperCase()
        .toLowerCase()
        // A dotted capital I keeps its dot as a mark of its own.
        .replaceAll('i\u0307', 'i')
        .normalize('NFKC')
        .replace(IGNORABLE, '');
  return plain
    .replace(/(?<=.):.*$/, '')
    .replace(/(?<=[^. ])[. ]+$/, '')
    .replace(/^ +/, '');
}

/** The whole path, folded segment by segment. A backslash separates too, as it does on Windows. */
export function foldPath(path: string): string {
  return path.split(/[/\\]/).map(foldSegment).join('/');
}
