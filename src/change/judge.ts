import type { Tree } from '../git/tree.ts';
import { canonicalMode, type Sorted, sortEdits } from './edits.ts';
import { findProblems } from './problems.ts';
import { baseName, manifestsOf } from './rubbish.ts';
import { showPath, showPaths } from './show-path.ts';
import type { ChangeRules, Edit, Judgement, Listing } from './types.ts';

/** Problems named one by one; what else is wrong is counted. */
const MAX_PROBLEMS = 50;

/**
 * Decides what the agent's work tree means: nothing, a change that may be offered, or one that may not and why. Pure: the
 * same base, listing and rules always give the same answer. Nothing that may not be offered is quietly left out, except
 * what no reviewer would call part of the change (ignored files, caches, crash leftovers), which the notes name.
 */
export function judgeChange(base: Tree, listing: Listing, rules: ChangeRules): Judgement {
  const sorted = sortEdits(base, listing, rules.caps.fileBytes);
  const { edits, leftOut, unreadable } = sorted;
  const tooLarge = unreadable.map(
    (path) => `${showPath(path)} has grown to more than ${rules.caps.fileBytes} bytes`,
  );
  const ignored =
    leftOut.ignored +
    leftOut.rubbish.length +
    leftOut.large.length +
    leftOut.locks.length +
    listing.caches.length;
  // A changed permission bit alone is a side effect of running things, not work (case E04).
  if (tooLarge.length === 0 && edits.every(isModeOnly(base)))
    return { kind: 'none', ignored: ignored + edits.length };
  const problems = [...tooLarge, ...findProblems(base, edits, rules)];
  if (problems.length > 0) return { kind: 'refused', problems: shorten(problems) };
  return { kind: 'changed', edits: sortByPath(edits), notes: toNotes(sorted, listing), ignored };
}

function isModeOnly(base: Tree): (edit: Edit) => boolean {
  return ({ path, kind, blob, oldMode, newMode }) =>
    kind === 'modified' &&
    base.get(path)?.id === blob?.id &&
    oldMode?.startsWith('100') === true &&
    newMode?.startsWith('100') === true;
}

function shorten(problems: readonly string[]): readonly string[] {
  if (problems.length <= MAX_PROBLEMS) return problems;
  return [...problems.slice(0, MAX_PROBLEMS), `and ${problems.length - MAX_PROBLEMS} more problems`];
}

function sortByPath(edits: readonly Edit[]): readonly Edit[] {
  return edits.toSorted((a, b) => Number(a.path > b.path) - Number(a.path < b.path));
}

/** What a reviewer should know besides the diff. */
function toNotes({ edits, leftOut }: Sorted, listing: Listing): string[] {
  const notes: string[] = [];
  const executable = edits.filter(
    ({ kind, oldMode, newMode }) =>
      newMode === '100755' && (kind === 'added' || canonicalMode(oldMode ?? '') !== newMode),
  );
  const plain = edits.filter(
    ({ oldMode, newMode }) => newMode === '100644' && canonicalMode(oldMode ?? '') === '100755',
  );
  const locks = edits.filter(({ path, kind }) => kind !== 'deleted' && manifestsOf(baseName(path)) !== null);
  const say = (text: string, paths: readonly string[]) => {
    if (paths.length > 0) notes.push(`${text}: ${showPaths(paths)}`);
  };
  const pathsOf = (some: readonly Edit[]) => some.map(({ path }) => path);
  say('made executable', pathsOf(executable));
  say('no longer executable', pathsOf(plain));
  say('lock files changed together with a manifest', pathsOf(locks));
  say('left out, lock files changed though no manifest was', leftOut.locks);
  say('left out, too large', leftOut.large);
  say('left out, leftovers of tools', leftOut.rubbish);
  say('left out, caches', listing.caches);
  say('left out, the `.git` of nested repositories', listing.nestedRepositories);
  return notes;
}
