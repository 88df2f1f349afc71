import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureDependencies } from './dependencies.mjs';
import { ensurePrograms } from './programs.mjs';
import { runUnderNode } from './run.mjs';
import { Trouble } from './trouble.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const USAGE = 'usage: node scripts/setup.mjs [--sample] [--tests] [run SCRIPT ARGUMENT…]';

/** `[--sample] [--tests] [run SCRIPT ARGUMENT…]` as purposes and the command; null when it is something else. */
export function parseArguments(argv) {
  const at = argv.indexOf('run');
  const flags = at === -1 ? argv : argv.slice(0, at);
  const command = at === -1 ? [] : argv.slice(at + 1);
  if (at !== -1 && command.length === 0) return null;
  if (flags.some((flag) => flag !== '--sample' && flag !== '--tests')) return null;
  return { purposes: ['run', ...flags.map((flag) => flag.slice(2))], command };
}

/** Everything that setup.mjs does, once Node is new enough. */
export async function main(argv) {
  const parsed = parseArguments(argv);
  if (!parsed) return refuse(USAGE);
  try {
    await ensureDependencies(ROOT);
    ensurePrograms(parsed.purposes);
  } catch (error) {
    if (error instanceof Trouble) return refuse(error.message);
    throw error;
  }
  const [script, ...rest] = parsed.command;
  if (script) runUnderNode(ROOT, [resolve(ROOT, script), ...rest]);
}

function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}
