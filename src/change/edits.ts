import type { BytePath, Tree, TreeEntry } from '../git/tree.ts';
import { baseName, isRubbishFile, manifestsOf } from './rubbish.ts';
import type { Edit, FoundFile, Listing } from './types.ts';

/** What differs between base and work tree, before any rule: what counts, and what is left out and why. */
export interface Sorted {
  readonly edits: readonly Edit[];
  readonly leftOut: {
    readonly rubbish: readonly BytePath[];
    readonly large: readonly BytePath[];
    readonly locks: readonly BytePath[];
    /** Files that the tree's own ignore files name. */
    readonly ignored: number;
  };
  /** Files of the base that have grown too large to be read. */
  readonly unreadable: readonly BytePath[];
}

const SUBMODULE = '160000';

/** Compares the work tree with the base. Files that the base has are never left out as rubbish. */
export function sortEdits(base: Tree, listing: Listing, maxFileBytes: number): Sorted {
  const edits: Edit[] = [];
  const rubbish: BytePath[] = [];
  const large: BytePath[] = [];
  const unreadable: BytePath[] = [];
  let ignored = 0;
  for (const [path, found] of listing.files) {
    const before = base.get(path);
    if (before === undefined && found.ignored) ignored += 1;
    else if (before === undefined && isRubbishFile(baseName(path))) rubbish.push(path);
    else if (before === undefined && found.bytes > maxFileBytes) large.push(path);
    else if (found.id === null) unreadable.push(path);
    else {
      const edit = toEdit(path, before, { ...found, id: found.id });
      if (edit) edits.push(edit);
    }
  }
  for (const [path, before] of base) {
    // A submodule is an empty folder in the work tree: its absence says nothing.
    if (before.mode === SUBMODULE || listing.files.has(path)) continue;
    edits.push({ path, kind: 'deleted', oldMode: before.mode, newMode: null, blob: null });
  }
  const locks = findStrayLocks(edits);
  const kept = edits.filter(({ path }) => !locks.includes(path));
  return { edits: kept, leftOut: { rubbish, large, locks, ignored }, unreadable };
}

function toEdit(
  path: BytePath,
  before: TreeEntry | undefined,
  { mode, id, bytes }: FoundFile & { readonly id: string },
): Edit | null {
  const blob = { id, bytes };
  if (before === undefined) return { path, kind: 'added', oldMode: null, newMode: mode, blob };
  if (before.id === id && canonicalMode(before.mode) === mode) return null;
  return { path, kind: 'modified', oldMode: before.mode, newMode: mode, blob };
}

/** Old repositories have modes such as 100664; git knows two for files. */
export function canonicalMode(mode: string): string {
  if (!mode.startsWith('100')) return mode;
  return (Number.parseInt(mode, 8) & 0o100) === 0 ? '100644' : '100755';
}

/** Lock files that an install touched while no manifest was changed (case E07). A deleted one is the agent's own doing. */
function findStrayLocks(edits: readonly Edit[]): BytePath[] {
  const names = edits.map(({ path }) => baseName(path));
  return edits
    .filter(({ path, kind }) => {
      const manifests = manifestsOf(baseName(path));
      return kind !== 'deleted' && manifests !== null && !names.some((name) => manifests.test(name));
    })
    .map(({ path }) => path);
}
