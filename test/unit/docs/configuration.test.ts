import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { listVariables } from '../../../scripts/docs/configuration.ts';
import { renderFiles } from '../../../scripts/docs/files.ts';
import { runProgram } from '../../../src/commands/program.ts';
import type { Commands } from '../../../src/commands/types.ts';
import { parseConfig } from '../../../src/config.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const variables = listVariables().flatMap((section) => section.variables);
const names = variables.map((variable) => variable.name);

/** `NAME=value` lines of an environment file, also those that are commented out. */
function parseEnvFile(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/^#?([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}

describe('configuration in documents', () => {
  test('.env.example has exactly the variables of the schema, with their standard values', () => {
    const entries = parseEnvFile(read('.env.example'));
    assert.deepEqual([...entries.keys()].sort(), [...names].sort());
    for (const { name, standard } of variables) assert.equal(entries.get(name), standard ?? '', name);
  });

  test('.env.example has one line of purpose above each variable', () => {
    for (const { name, purpose } of variables) {
      assert.ok(read('.env.example').includes(`\n# ${purpose}\n#${name}=`), name);
      assert.ok(purpose.length <= 120 && !purpose.includes('\n'), `${name}: one line`);
    }
  });

  test('.env.example can be used as it is: its values are the standard ones', () => {
    const set = Object.fromEntries(parseEnvFile(read('.env.example')));
    assert.deepEqual(parseConfig(set, ['sandbox']), parseConfig({}, ['sandbox']));
  });

  test('docs/configuration.md has exactly the variables of the schema in its tables', () => {
    const rows = [...read('docs/configuration.md').matchAll(/^\| `([A-Z][A-Z0-9_]*)` \|/gm)].map(
      ([, name]) => name,
    );
    assert.deepEqual(rows.sort(), [...names].sort());
  });

  for (const { path, text } of renderFiles(ROOT)) {
    test(`${path} is what npm run check -- --fix would write`, () => {
      assert.equal(read(path), text);
    });
  }

  for (const document of [
    'docs/configuration.md',
    'docs/errors.md',
    'docs/architecture.md',
    'CONTRIBUTING.md',
  ]) {
    test(`${document} names no variable that does not exist`, () => {
      const mentioned = read(document).matchAll(/\b(?:TADPOLE|MODEL|GITHUB|SANDBOX|CAP)_[A-Z_]+\b/g);
      // TADPOLE_REPORT is set by Tadpole inside sandboxes, not by anybody outside.
      const known = [...names, 'TADPOLE_REPORT'];
      assert.deepEqual(
        [...mentioned].map(([name]) => name).filter((name) => !known.includes(name)),
        [],
      );
    });
  }

  test('docs/configuration.md says of each command what it needs', async () => {
    let help = '';
    const terminal = { out: (text: string) => (help += text), err: () => {} };
    await runProgram(['--help'], { commands: {} as Commands, version: '0', terminal });
    const commands = [...help.matchAll(/^ {2}([a-z]+)(?: [[<].*?[\]>])? {2,}[A-Z]/gm)].map(
      ([, name]) => name,
    );
    assert.equal(commands.length, 7);
    for (const name of commands)
      assert.match(read('docs/configuration.md'), new RegExp(`^\\| \`tadpole ${name}\` \\|`, 'm'));
  });

  test('each script of package.json that people type is explained in CONTRIBUTING.md', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    for (const name of ['try', 'check', 'test', 'unit', 'bench', 'test:real']) {
      assert.ok(scripts[name], name);
      assert.match(read('CONTRIBUTING.md'), new RegExp(`npm (?:run )?${name}\\b`), name);
    }
  });
});
