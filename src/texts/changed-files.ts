import type { Change, FileChange } from '../run/types.ts';
import { inline, sentence } from './markdown.ts';
import { formatNumber } from './numbers.ts';
import { listNames } from './results.ts';

type Changed = Extract<Change, { kind: 'changed' }>;

const FILES = 40;
const NOTES = 20;

/** Tests, and files that can rule how tests are found and run. */
const TEST_FILES = [
  /(?:^|\/)(?:tests?|__tests__|specs?|testing)\//i,
  /(?:^|\/)(?:test_[^/]*|[^/]*[._-](?:tests?|spec)\.[^/]+)$/i,
  /(?:^|\/)(?:conftest\.py|sitecustomize\.py|pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml|package\.json|\.mocharc[^/]*|(?:jest|vitest)\.[^/]+)$/i,
];

const WHAT: Readonly<Record<FileChange['kind'], string>> = {
  added: 'new, ',
  deleted: 'deleted, ',
  modified: '',
};

function describeFile({ path, kind, additions, deletions, oldMode, newMode }: FileChange): string {
  const lines =
    additions === null || deletions === null
      ? 'binary'
      : `+${formatNumber(additions)} −${formatNumber(deletions)}`;
  const mode = kind === 'modified' && oldMode !== newMode ? `, mode ${oldMode} to ${newMode}` : '';
  return `${inline(path)} (${WHAT[kind]}${lines}${mode})`;
}

/** `**Changed**: a (+1 −1), …` */
export function changedFiles({ files }: Changed): string {
  return `**Changed**: ${listNames(files.slice(0, FILES).map(describeFile), files.length)}.`;
}

/** What a reviewer should look at first; empty when there is nothing to point to. */
export function lookAt({ files, notes }: Changed): string {
  const tests = files.filter(({ path }) => TEST_FILES.some((pattern) => pattern.test(path)));
  const points: string[] = [];
  if (tests.length > 0) {
    const shown = tests.slice(0, FILES).map(({ path }) => inline(path));
    points.push(
      `tests or their configuration were changed, and ran as the change left them: ${listNames(shown, tests.length)}`,
    );
  }
  points.push(...notes.slice(0, NOTES).map(sentence));
  if (notes.length > NOTES) points.push(`and ${formatNumber(notes.length - NOTES)} more notes`);
  if (points.length === 0) return '';
  return `**Look at**:\n${points.map((point) => `- ${point}`).join('\n')}`;
}
