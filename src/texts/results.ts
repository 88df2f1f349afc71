/** What verification found, as Markdown: table, lists of tests, what failing tests said. */
import type { Comparison, SuiteResult, TestCase, TestStatus, Verification } from '../verification/types.ts';
import { fenced, inline } from './markdown.ts';
import { formatCount, formatNumber, shortCommit } from './numbers.ts';
import { HEADLINES } from './warning.ts';

/** Names shown of each list of tests. */
const NAMES = 12;
const MESSAGES = 5;
const MESSAGE_BYTES = 1_500;
const OUTPUT_BYTES = 4_096;

/** The verdict and its reason, with the condition under which it was found. */
export function headline({ verdict, reason }: Verification): string {
  const where = verdict === 'no_tests' ? '' : ', in clean sandboxes that the agent never touched';
  return `**${HEADLINES[verdict]}**: ${reason}${where}.`;
}

function countStatus({ tests }: SuiteResult, status: TestStatus): string {
  return formatNumber(tests.filter((test) => test.status === status).length);
}

function describeState({ state, exitCode }: SuiteResult): string {
  const words = state === 'ran' ? 'measured' : state.replaceAll('_', ' ');
  return exitCode === null ? words : `${words} (exit code ${exitCode})`;
}

function row(name: string, cells: readonly string[]): string {
  return `| ${[name, ...cells].join(' | ')} |`;
}

/** Base against this change, by counts where single tests were seen. Empty when nothing was run. */
export function resultTable({ base, patched }: Verification, baseCommit: string): string {
  if (base === null || patched === null) return '';
  const suites = [base, patched];
  const rows = [row('', [`base ${inline(shortCommit(baseCommit))}`, 'this change']), '|---|---|---|'];
  if (suites.some(({ state }) => state !== 'ran')) rows.push(row('the run', suites.map(describeState)));
  if (suites.some(({ tests }) => tests.length > 0)) {
    for (const status of ['passed', 'failed', 'skipped'] as const) {
      // A run without a usable report has no counts, which is not the same as none.
      const cells = suites.map((suite) => (suite.tests.length > 0 ? countStatus(suite, status) : '–'));
      rows.push(row(status, cells));
    }
  }
  return rows.join('\n');
}

/** The first names as code and how many more there are; `none` for an empty list. */
export function listNames(shown: readonly string[], total: number): string {
  if (total === 0) return 'none';
  const more = total > shown.length ? ` and ${formatNumber(total - shown.length)} more` : '';
  return `${shown.join(', ')}${more}`;
}

function namesOf(ids: readonly string[]): string {
  const shown = ids.slice(0, NAMES).map((id) => inline(id));
  return listNames(shown, ids.length);
}

const STATUS_WORDS: Readonly<Record<TestStatus, string>> = {
  passed: 'passes',
  failed: 'fails',
  skipped: 'skipped',
};

function newTests(added: Comparison['new']): string {
  const shown = added.slice(0, NAMES).map(({ id, status }) => `${inline(id)} (${STATUS_WORDS[status]})`);
  return listNames(shown, added.length);
}

/** What became of the tests, by name: fixed and broken always, the rest where there is something to tell. */
export function comparisonLists(comparison: Comparison): string {
  const { fixed, broken, stillFailing, vanished, nowSkipped } = comparison;
  const lines = [`**Fixed**: ${namesOf(fixed)}`, `**Broken**: ${namesOf(broken)}`];
  if (stillFailing.length > 0) lines.push(`**Still failing**: ${namesOf(stillFailing)}`);
  if (comparison.new.length > 0) lines.push(`**New**: ${newTests(comparison.new)}`);
  if (vanished.length > 0) lines.push(`**Vanished** (did not run any more): ${namesOf(vanished)}`);
  if (nowSkipped.length > 0) lines.push(`**Became skipped**: ${namesOf(nowSkipped)}`);
  return lines.map((line) => `- ${line}`).join('\n');
}

function details(summary: string, content: string): string {
  return `<details><summary>${summary}</summary>\n\n${content}\n\n</details>`;
}

/** Tests that fail with the change, those first that did not fail before. */
function failingTests({ comparison, patched }: Verification): readonly TestCase[] {
  const known = new Set(comparison?.stillFailing);
  const failing = (patched?.tests ?? []).filter(({ status }) => status === 'failed');
  return failing.toSorted((a, b) => Number(known.has(a.id)) - Number(known.has(b.id)));
}

/** What failing tests said, and the end of the output where that is all there is. Hostile text, fenced and capped. */
export function failureDetails(verification: Verification): string {
  const failing = failingTests(verification);
  const parts: string[] = [];
  if (failing.length > 0) {
    const shown = failing.slice(0, MESSAGES);
    const texts = shown.map(({ id, message }) => `${inline(id)}\n\n${fenced(message ?? '', MESSAGE_BYTES)}`);
    const more = failing.length - shown.length;
    if (more > 0) texts.push(`And ${formatCount(more, 'more failing test')}.`);
    parts.push(details('What failing tests say', texts.join('\n\n')));
  }
  for (const [name, suite] of [
    ['on base', verification.base],
    ['with this change', verification.patched],
  ] as const) {
    if (suite === null || suite.state === 'ran' || suite.outputTail === '') continue;
    parts.push(details(`End of the output ${name}`, fenced(suite.outputTail, OUTPUT_BYTES)));
  }
  return parts.join('\n\n');
}
