import picomatch from 'picomatch';
import { decodePath, type Tree } from '../git/tree.ts';
import { findCollisions } from './collisions.ts';
import { findEmbeddedRepositories } from './embedded-repository.ts';
import { foldPath } from './fold.ts';
import { findNewNameProblem } from './new-names.ts';
import { findProtectedName } from './protected-names.ts';
import { showPath } from './show-path.ts';
import type { ChangeRules, Edit } from './types.ts';

/** Everything that is wrong with a change, one sentence each: what and why. Empty when nothing is. */
export function findProblems(
  base: Tree,
  edits: readonly Edit[],
  { policy, caps }: ChangeRules,
): readonly string[] {
  const isDenied = denyMatcher(policy.paths.deny);
  const single = edits.flatMap((edit) => {
    const problem = findEditProblem(edit, { base, isDenied });
    return problem === null ? [] : [`${showPath(edit.path)} ${problem}`];
  });
  return [...single, ...findTreeProblems(base, edits), ...findSizeProblems(edits, { policy, caps })];
}

function findEditProblem(
  edit: Edit,
  { base, isDenied }: { readonly base: Tree; readonly isDenied: (path: string) => boolean },
): string | null {
  const path = decodePath(edit.path);
  if (path === null) return 'has a name that is not UTF-8';
  const named = findProtectedName(path);
  if (named !== null) return named;
  if (isDenied(path)) return 'is among the paths that the policy denies (`paths.deny`)';
  if (edit.newMode === '120000' || (edit.oldMode === '120000' && edit.kind === 'modified'))
    return 'is a symbolic link, new or changed';
  if (edit.oldMode === '160000' || liesInSubmodule(edit.path, base))
    return 'lies where the base has a submodule';
  return edit.kind === 'added' ? findNewNameProblem(path) : null;
}

function liesInSubmodule(path: string, base: Tree): boolean {
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
    if (base.get(path.slice(0, at))?.mode === '160000') return true;
  return false;
}

/** A glob names files, a folder with all that is in it, or, without a slash, any file or folder of that name. */
function denyMatcher(deny: readonly string[]): (path: string) => boolean {
  if (deny.length === 0) return () => false;
  const globs = deny.flatMap((glob) => {
    const trimmed = glob.replace(/^\/(?=.)/, '').replace(/(?<=.)\/+$/, '');
    const rooted = [trimmed, `${trimmed}/**`];
    return trimmed.includes('/') || glob.startsWith('/')
      ? rooted
      : [...rooted, `**/${trimmed}`, `**/${trimmed}/**`];
  });
  const matches = picomatch(globs, { dot: true, nocase: true, nonegate: true });
  return (path) => matches(path) || matches(foldPath(path));
}

/** Problems of several files together. Submodules stay in the final tree, though no work tree shows them. */
function findTreeProblems(base: Tree, edits: readonly Edit[]): string[] {
  const deleted = new Set(edits.filter(({ kind }) => kind === 'deleted').map(({ path }) => path));
  const added = edits.filter(({ kind }) => kind === 'added').map(({ path }) => path);
  const kept = [...base.keys()].filter((path) => !deleted.has(path));
  const finalPaths = [...kept, ...added];
  const text = (path: string) => decodePath(path) ?? path;
  const collisions = findCollisions(finalPaths.map(text), added.map(text)).map(
    ({ path, other }) =>
      `${showText(path)} differs from ${showText(other)} in letter case or invisible characters only`,
  );
  const changed = edits.filter(({ kind }) => kind !== 'deleted').map(({ path }) => path);
  const repositories = findEmbeddedRepositories(finalPaths, changed).map(
    (folder) => `${showPath(folder)} looks like a git repository inside the tree`,
  );
  return [...collisions, ...repositories];
}

function showText(path: string): string {
  return showPath(Buffer.from(path, 'utf8').toString('latin1'));
}

function findSizeProblems(edits: readonly Edit[], { policy, caps }: ChangeRules): string[] {
  const problems: string[] = [];
  const { filesChanged } = policy.limits;
  if (edits.length > filesChanged)
    problems.push(
      `${edits.length} files were changed; the policy allows ${filesChanged} (\`limits.filesChanged\`)`,
    );
  const large = edits.filter(({ blob }) => (blob?.bytes ?? 0) > caps.fileBytes);
  for (const { path, blob } of large)
    problems.push(`${showPath(path)} has ${blob?.bytes} bytes; a changed file may have ${caps.fileBytes}`);
  const total = edits.reduce((sum, { blob }) => sum + (blob?.bytes ?? 0), 0);
  if (total > caps.totalBytes)
    problems.push(`the changed files have ${total} bytes together; ${caps.totalBytes} are allowed`);
  return problems;
}
