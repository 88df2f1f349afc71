import type { Suite } from './collect.ts';
import type { Comparison, SuiteResult } from './types.ts';

const LINTERS =
  /\b(?:ruff|flake8|pylint|mypy|pyright|eslint|biome|tsc|clippy|golangci-lint|rubocop|checkstyle|standard|xo|oxlint)\b/;

/** The facts that a suite's results leave open. */
interface Measured {
  readonly suite: Suite;
  readonly patched: SuiteResult;
  readonly comparison: Comparison | null;
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
}

/** What was not tested, one phrase each, most telling first. Facts of policy and results, no guesses. */
export function listNotTested({ suite, patched, comparison }: Measured): readonly string[] {
  const facts: string[] = [];
  if (patched.state === 'exit_code_only') {
    facts.push('single tests (the policy asks for no report, so only the exit code was seen)');
  }
  const skipped = patched.tests.filter(({ status }) => status === 'skipped').length;
  if (skipped > 0) facts.push(count(skipped, 'skipped test'));
  const vanished = comparison?.vanished.length ?? 0;
  if (vanished > 0) facts.push(`${count(vanished, 'test')} of base that did not run with the change`);
  const added = comparison?.new.length ?? 0;
  if (added > 0) facts.push(`whether ${count(added, 'new test')} would fail on base`);
  facts.push('anything that needs a network');
  facts.push('whether results repeat (each suite ran once)');
  facts.push("base's own version of tests that the change edits");
  if (!LINTERS.test(suite.test.command)) facts.push('no linter or type check is in the policy');
  return facts;
}
