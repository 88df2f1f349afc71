import { foldPath } from './fold.ts';

/**
 * Finds added paths that some file system would take for another path of the same tree: `Readme` beside `README`, a file
 * `src` beside a folder `SRC`. Returns pairs, the added path first. Collisions that the base has already are not ours.
 */
export function findCollisions(
  finalPaths: Iterable<string>,
  added: readonly string[],
): readonly { readonly path: string; readonly other: string }[] {
  if (added.length === 0) return [];
  const spellings = new Map<string, Set<string>>();
  const seen = new Set<string>();
  for (const path of finalPaths) {
    for (const prefix of prefixesOf(path)) {
      if (seen.has(prefix)) continue;
      seen.add(prefix);
      const folded = foldPath(prefix);
      const known = spellings.get(folded);
      if (known) known.add(prefix);
      else spellings.set(folded, new Set([prefix]));
    }
  }
  const found: { path: string; other: string }[] = [];
  for (const path of added) {
    for (const prefix of prefixesOf(path)) {
      const other = [...(spellings.get(foldPath(prefix)) ?? [])].find((spelling) => spelling !== prefix);
      if (other !== undefined) found.push({ path, other });
    }
  }
  return found;
}

/** The path's folders, outermost first, then the path itself. */
function prefixesOf(path: string): string[] {
  const prefixes: string[] = [];
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
    prefixes.push(path.slice(0, at));
  return [...prefixes, path];
}
