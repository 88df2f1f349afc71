/**
 * The test runner: `npm test` (checks, then every tier), `npm test -- unit integration`, `npm run unit -- config`.
 * The very last line is the count. Exit code 1 when anything failed, or when nothing was found.
 */
import { spawnSync } from 'node:child_process';
import { relative } from 'node:path';
import { run } from 'node:test';
import { fileURLToPath } from 'node:url';
import { countAll, createTally, type Failure, type Tally } from './runner/tally.ts';
import { findTests, parseSelection, TIERS, type Tier } from './runner/tiers.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** A file that hangs must not hang the build; far above what any file takes. */
const FILE_LIMIT_MS = 20 * 60_000;
const WIDTH = 2;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** Format, lint and types, as one result among the others. */
function runCheck(tally: Tally): void {
  const begin = performance.now();
  const { status } = spawnSync(process.execPath, ['scripts/check.ts', '--static'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  print(`check        ${status === 0 ? 'passed' : 'FAILED'}, ${inSeconds(performance.now() - begin)}`);
  if (status === 0) tally.passed += 1;
  else tally.failures.push({ file: `${ROOT}scripts/check.ts`, name: 'check', text: 'its output is above' });
}

async function runTier(tier: Tier, files: readonly string[], total: Tally): Promise<void> {
  const tally = createTally();
  const begin = performance.now();
  const concurrency = TIERS[tier].heavy ? 1 : WIDTH;
  await countAll(tally, run({ files, concurrency, isolation: 'process', timeout: FILE_LIMIT_MS, cwd: ROOT }));
  const { passed, failures, skipped } = tally;
  const counts = `${passed} passed, ${failures.length} failed, ${skipped.length} skipped`;
  print(`${tier.padEnd(12)} ${counts}, ${inSeconds(performance.now() - begin)}`);
  for (const failure of failures) printFailure(failure);
  for (const file of new Set(failures.map((failure) => failure.file))) printOutput(file, tally);
  total.passed += passed;
  total.failures.push(...failures);
  total.skipped.push(...skipped);
}

function printFailure({ file, name, text }: Failure): void {
  print(`\n✖ ${relative(ROOT, file)}: ${name}\n${text.replace(/^/gm, '    ')}\n`);
}

function printOutput(file: string, { output }: Tally): void {
  const text = output.get(file);
  if (text) print(`  printed by ${relative(ROOT, file)}:\n${text.replace(/^/gm, '    ')}`);
}

function printSummary({ passed, failures, skipped }: Tally): void {
  for (const { file, name, reason } of skipped)
    print(`skipped: ${relative(ROOT, file)}: ${name} (${reason})`);
  for (const { file, name } of failures) print(`failed: ${relative(ROOT, file)}: ${name}`);
  print(`${passed} passed, ${failures.length} failed, ${skipped.length} skipped`);
}

const argv = process.argv.slice(2);
const { tiers, parts } = parseSelection(argv);
const total = createTally();
if (argv.length === 0) runCheck(total);
for (const tier of tiers) {
  const files = findTests(ROOT, tier, parts);
  if (files.length > 0) await runTier(tier, files, total);
}
printSummary(total);
const nothingRan = total.passed + total.skipped.length === 0;
process.exitCode = total.failures.length > 0 || nothingRan ? 1 : 0;
