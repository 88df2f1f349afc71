/**
 * Finds folders of the final tree that git would take for a bare repository and whose files the change touches: a reader
 * who runs git in such a folder runs its configuration (T20). Those that the base has, untouched, are not ours.
 */
export function findEmbeddedRepositories(
  finalPaths: Iterable<string>,
  changed: readonly string[],
): readonly string[] {
  const parts = new Map<string, Set<string>>();
  for (const path of finalPaths) {
    for (const { folder, part } of repositoryParts(path)) {
      const known = parts.get(folder);
      if (known) known.add(part);
      else parts.set(folder, new Set([part]));
    }
  }
  return [...parts]
    .filter(([, found]) => found.has('head') && found.size > 1)
    .map(([folder]) => folder)
    .filter((folder) => changed.some((path) => folder === '' || path.startsWith(`${folder}/`)));
}

/** Each folder that this path makes look like a repository: by a file HEAD, or by something below objects or refs. */
function repositoryParts(path: string): { folder: string; part: string }[] {
  const segments = path.split('/');
  const found: { folder: string; part: string }[] = [];
  for (const [index, segment] of segments.entries()) {
    const part = segment.toLowerCase();
    const isFile = index === segments.length - 1;
    if (isFile ? part === 'head' : part === 'objects' || part === 'refs')
      found.push({ folder: segments.slice(0, index).join('/'), part });
  }
  return found;
}
