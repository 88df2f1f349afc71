import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { OUTCOMES, STAGES } from '../../../src/outcome.ts';
import { findRow, parseImportTable, type Row } from './import-table.ts';
import { importsOf, ROOT, readSources, type SourceFile } from './sources.ts';

const document = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
const rows = parseImportTable(document);
const sources = readSources('src');

/** What a file of a row does that the row does not allow, one line each. */
function findViolations(row: Row, file: SourceFile): readonly string[] {
  return importsOf(file).flatMap((target) => {
    if (target === 'node:child_process')
      return row.abilities.includes('child_process') ? [] : [`${file.path} starts processes`];
    if (target.startsWith('node:')) return [];
    if (!target.startsWith('src/')) {
      return row.packages.includes(target) ? [] : [`${file.path} imports the package ${target}`];
    }
    const other = findRow(rows, target);
    const allowed = other !== undefined && (other === row || row.mayImport.includes(other.label));
    return allowed ? [] : [`${file.path} imports ${target}`];
  });
}

/** Tables rows below a heading, first cell of code each. */
function firstCells(heading: string): readonly string[] {
  const section = document.split(/^##+ /m).find((each) => each.startsWith(heading)) ?? '';
  return [...section.matchAll(/^\|[^`]*?`(\w+)`/gm)].map(([, name = '']) => name);
}

describe('docs/architecture.md', () => {
  test('has an import table whose rows name rows of the table only', () => {
    const labels = rows.map((row) => row.label);
    assert.ok(rows.length > 15);
    assert.equal(new Set(labels).size, labels.length);
    for (const row of rows)
      for (const each of row.mayImport) assert.ok(labels.includes(each), `${row.label}: ${each}`);
  });

  test('puts the table in the order of its arrows: no row may import one that stands below it, ports and git aside', () => {
    const place = (label: string) => rows.findIndex((row) => row.label === label);
    for (const row of rows) {
      for (const each of row.mayImport) {
        if (row.label === 'ports' && each === 'git') continue;
        assert.ok(place(each) < place(row.label), `${row.label} → ${each}`);
      }
    }
  });

  test('gives every file under src a row', () => {
    assert.deepEqual(
      sources.filter((file) => !findRow(rows, file.path)).map((file) => file.path),
      [],
    );
  });

  test('has no row without files', () => {
    const used = new Set(sources.map((file) => findRow(rows, file.path)));
    assert.deepEqual(
      rows.filter((row) => !used.has(row)).map((row) => row.label),
      [],
    );
  });

  for (const row of rows) {
    test(`${row.label} imports what the table allows it, and nothing else`, () => {
      const files = sources.filter((file) => findRow(rows, file.path) === row);
      assert.deepEqual(
        files.flatMap((file) => findViolations(row, file)),
        [],
      );
    });

    test(`${row.label} uses every package that the table allows it`, () => {
      const files = sources.filter((file) => findRow(rows, file.path) === row);
      const used = new Set(files.flatMap((file) => [...importsOf(file)]));
      // A row without files is another test's finding.
      assert.deepEqual(files.length === 0 ? [] : row.packages.filter((each) => !used.has(each)), []);
    });
  }

  test('process.env is read where the table says, and console nowhere', () => {
    for (const file of sources) {
      const code = withoutComments(file.text);
      const mayReadEnv = findRow(rows, file.path)?.abilities.includes('process.env');
      assert.ok(
        mayReadEnv || !/\bprocess\s*(?:\.\s*env\b|\[)|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/.test(code),
        `${file.path}: process.env`,
      );
      assert.ok(!/\bconsole\s*[.[]/.test(code), `${file.path}: console`);
    }
  });

  test('has the stages in the order of the code, with folders that exist', () => {
    assert.deepEqual(firstCells('Stages'), [...STAGES]);
    const section = document.split(/^## /m).find((each) => each.startsWith('Stages')) ?? '';
    for (const [, folder = ''] of section.matchAll(/`(\w+)\/`/g))
      assert.ok(existsSync(join(ROOT, 'src', folder)), folder);
  });

  test('has every outcome of the code, and no other', () => {
    assert.deepEqual(firstCells('How a run ends').toSorted(), [...OUTCOMES].toSorted());
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`])\/\/.*$/gm, '$1');
}

describe('the check itself', () => {
  const row = (label: string) => rows.find((each) => each.label === label) ?? assert.fail(label);
  const file = (path: string, text: string): SourceFile => ({ path, text });

  test('sees an import upwards, between implementations, of a foreign package, and of child_process', () => {
    const store = file(
      'src/store/x.ts',
      [
        "import { a } from '../run/worker.ts';",
        "import type { B } from '../queue/bullmq.ts';",
        "export { c } from 'ioredis';",
        "const d = await import('node:child_process');",
        "import {\n  e,\n  f,\n} from '../forge/github/client.ts';",
        "import { fault } from '../errors.ts';",
        "import type { Store } from './types.ts';",
      ].join('\n'),
    );
    assert.deepEqual(findViolations(row('store'), store).toSorted(), [
      'src/store/x.ts imports src/forge/github/client.ts',
      'src/store/x.ts imports src/queue/bullmq.ts',
      'src/store/x.ts imports src/run/worker.ts',
      'src/store/x.ts imports the package ioredis',
      'src/store/x.ts starts processes',
    ]);
  });

  test('knows a port from its implementations', () => {
    assert.equal(findRow(rows, 'src/forge/types.ts')?.label, 'ports');
    assert.equal(findRow(rows, 'src/forge/github/client.ts')?.label, 'forge/github');
    assert.equal(findRow(rows, 'src/git/tree.ts')?.label, 'git');
    assert.equal(findRow(rows, 'src/nowhere.ts'), undefined);
  });
});
