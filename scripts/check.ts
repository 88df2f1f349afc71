/**
 * `npm run check`: format, lint, types, and the tests that keep documents and rules true. With `--fix` it mends what can be
 * mended. `--static` leaves the tests out, for the test runner, which runs them anyway.
 */
import { spawn } from 'node:child_process';
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderFiles } from './docs/files.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const bin = (name: string) => join(ROOT, 'node_modules', '.bin', name);

interface Step {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
}

function listSteps(flags: readonly string[]): readonly Step[] {
  const biome = [
    'check',
    '--error-on-warnings',
    '--max-diagnostics=100',
    ...(flags.includes('--fix') ? ['--write'] : []),
  ];
  const tests = globSync('test/unit/docs/*.test.ts', { cwd: ROOT });
  const documents: Step = { name: 'documents and rules', argv: [process.execPath, '--test', ...tests] };
  return [
    { name: 'format and lint', argv: [bin('biome'), ...biome] },
    { name: 'types', argv: [bin('tsc')] },
    ...(flags.includes('--static') ? [] : [documents]),
  ];
}

/** Runs one step; its output is shown only when it fails. Resolves to whether it passed. */
function runStep({ name, argv: [program, ...rest] }: Step): Promise<boolean> {
  const begin = performance.now();
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(program, rest, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece) => (output += String(piece)));
    child.on('error', (error) => (output += String(error)));
    child.on('close', (code) => {
      const seconds = ((performance.now() - begin) / 1000).toFixed(1);
      process.stdout.write(`${name.padEnd(20)} ${code === 0 ? 'ok' : 'FAILED'}, ${seconds} s\n`);
      if (code !== 0) process.stdout.write(output);
      resolve(code === 0);
    });
  });
}

const flags = process.argv.slice(2);
if (flags.includes('--fix')) {
  for (const { path, text } of renderFiles(ROOT)) writeFileSync(join(ROOT, path), text);
}
const results = await Promise.all(listSteps(flags).map(runStep));
process.exitCode = results.every(Boolean) ? 0 : 1;
