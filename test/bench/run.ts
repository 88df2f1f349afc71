/**
 * `npm run bench -- NAME… [--json]`: measurements on this machine. Each file beside this one exports `bench(emit)`.
 * Prints a table; with `--json` one object a line. Without a name it lists what there is. Exit code 1 when an aim is missed.
 */
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { formatTable } from '../../src/commands/table.ts';
import { formatMeasure, type Measure, runBench } from './measure.ts';

const FOLDER = import.meta.dirname;
const NOT_A_BENCH = new Set(['run', 'measure']);

/** Names of the benches: files of this folder, without those of the runner itself. */
function listBenches(): readonly string[] {
  const names = globSync('*.ts', { cwd: FOLDER }).map((file) => basename(file, '.ts'));
  return names.filter((name) => !NOT_A_BENCH.has(name)).sort();
}

const argv = process.argv.slice(2);
const json = argv.includes('--json');
const wanted = argv.filter((each) => each !== '--json');
const known = listBenches();
const unknown = wanted.filter((name) => name !== 'all' && !known.includes(name));

if (wanted.length === 0 || unknown.length > 0) {
  const problem = unknown.length > 0 ? `There is no bench ${unknown.join(', ')}. ` : '';
  process.stderr.write(`${problem}Benches: ${known.join(', ') || 'none'}, or all of them: all\n`);
  process.exitCode = wanted.length === 0 ? 0 : 2;
} else {
  const measures: Measure[] = [];
  for (const name of wanted.includes('all') ? known : wanted) {
    await runBench(name, await import(join(FOLDER, `${name}.ts`)), (measure) => {
      measures.push(measure);
      if (json) process.stdout.write(`${JSON.stringify(measure)}\n`);
    });
  }
  if (!json)
    process.stdout.write(
      formatTable([['bench', 'measure', 'value', 'aim', ''], ...measures.map(formatMeasure)]),
    );
  process.exitCode = measures.some(({ holds }) => holds === false) ? 1 : 0;
}
