import { matchesGlob } from 'node:path';

/** A row of the import table: who, and what these files may import and use. */
export interface Row {
  /** Name of a group of several, such as `base`; else the one name. */
  readonly label: string;
  /** Names or patterns of modules under `src/`, without `.ts`. */
  readonly names: readonly string[];
  /** Labels of rows. */
  readonly mayImport: readonly string[];
  readonly packages: readonly string[];
  /** Abilities that the others don't have: `child_process`, `process.env`. */
  readonly abilities: readonly string[];
}

/** The table under the heading "Who may import whom" of docs/architecture.md. */
export function parseImportTable(document: string): readonly Row[] {
  const section = document.split(/^## /m).find((each) => each.startsWith('Who may import whom')) ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map(parseRow);
}

function parseRow(line: string): Row {
  const [who = '', mayImport = '', packages = '', abilities = ''] = line
    .split('|')
    .slice(1)
    .map((cell) => cell.trim());
  const names = codeIn(who);
  const group = /^(\w+):/.exec(who)?.[1];
  return {
    label: group ?? names[0] ?? '',
    names,
    mayImport: codeIn(mayImport),
    packages: codeIn(packages),
    abilities: codeIn(abilities),
  };
}

function codeIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** The row that a file of `src/` belongs to: the one whose name fits most closely, patterns before folders. */
export function findRow(rows: readonly Row[], path: string): Row | undefined {
  const name = path.replace(/^src\//, '').replace(/\.ts$/, '');
  const exact = rows.find((row) =>
    row.names.some((each) => each === name || (each.includes('*') && matchesGlob(name, each))),
  );
  if (exact) return exact;
  const folders = rows.flatMap((row) => row.names.map((each) => ({ row, each })));
  const fitting = folders.filter(({ each }) => name.startsWith(`${each}/`));
  return fitting.sort((a, b) => b.each.length - a.each.length)[0]?.row;
}
