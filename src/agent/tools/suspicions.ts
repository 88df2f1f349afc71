/**
 * Signs that a server's parser cut an argument (case D05): content that held the protocol's own tags loses what came
 * after them, or keeps a piece of the closing tag. Nothing is refused, since files may hold such tags; the model is
 * told and can look.
 */

const CLOSING_TAGS = ['</parameter>', '</function>', '</tool_call>'];
const LINES_WORTH_A_LOOK = 50;

/** A closing tag of a call, or a piece of one, at the end of an argument. */
export function findTagFragment(text: string): string | null {
  const end = text.trimEnd();
  const start = end.lastIndexOf('</');
  const fragment = start < 0 ? '' : end.slice(start);
  return fragment.length > 2 && CLOSING_TAGS.some((tag) => tag.startsWith(fragment)) ? fragment : null;
}

export function warnAboutFragment(argument: string, text: string): string {
  const fragment = findTagFragment(text);
  if (fragment === null) return '';
  return `Warning: ${argument} ends in ${fragment}, which looks like a piece of the call itself; what came after it may be lost. Check the end of the file with Read.`;
}

/** Compared in lines; null where the old number is not known. */
export function warnAboutShrink(oldLines: number, newLines: number): string {
  if (oldLines < LINES_WORTH_A_LOOK || newLines * 2 > oldLines) return '';
  return `Warning: the file had ${oldLines} lines and now has ${newLines}. If the rest was to stay, write the whole file again or use Edit.`;
}
