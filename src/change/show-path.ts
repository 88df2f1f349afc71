import { clipLine } from '../clip.ts';
import { type BytePath, decodePath } from '../git/tree.ts';
import { printable } from '../printable.ts';

/** A path for people: quoted, one line, printable, at most 120 bytes. It stays a stranger's text. */
export function showPath(path: BytePath): string {
  const text = decodePath(path) ?? path;
  return JSON.stringify(clipLine(printable(text).replace(/\s/g, ' '), 120));
}

/** The first few paths and how many more there are. */
export function showPaths(paths: readonly BytePath[]): string {
  const shown = paths.slice(0, 5).map(showPath).join(', ');
  return paths.length > 5 ? `${shown} and ${paths.length - 5} more` : shown;
}
