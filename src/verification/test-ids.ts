import { createHash } from 'node:crypto';
import { printable } from '../printable.ts';
import { WORKSPACE } from '../sandbox/types.ts';

/** What a report says about where a test stands. Empty strings where it says nothing. */
export interface TestPlace {
  /** Names of the enclosing suites, outermost first. */
  readonly suites: readonly string[];
  readonly className: string;
  readonly name: string;
  readonly file: string;
}

const MAX_ID_LENGTH = 300;
const SEPARATOR = '::';

/** A path of the report relative to the work tree. */
function toRelative(path: string): string {
  if (path.startsWith(`${WORKSPACE}/`)) return path.slice(WORKSPACE.length + 1);
  return path.startsWith('./') ? path.slice(2) : path;
}

/** Long names keep a hash of the whole, so that two that differ only at the end stay two. */
function shorten(id: string): string {
  if (id.length <= MAX_ID_LENGTH) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 8);
  return `${id.slice(0, MAX_ID_LENGTH - 10).toWellFormed()}…${hash}`;
}

/** One line, printable, of bounded length. */
function joinId(parts: readonly string[]): string {
  const id = parts.filter((part) => part !== '').join(SEPARATOR);
  return shorten(printable(id).replace(/\s+/g, ' ').trim()) || '(unnamed)';
}

const MODULE_NAME = /^(?:test_.*|.*_tests?|tests?|conftest)$/;
const CLASS_NAME = /^[A-Z]/;

/** Where the classes begin in pytest's dotted name: after the last part that looks like a test module, else at capitals. */
function countModuleParts(parts: readonly string[]): number {
  const module = parts.findLastIndex((part) => MODULE_NAME.test(part));
  if (module !== -1) return module + 1;
  return parts.findLastIndex((part) => !CLASS_NAME.test(part)) + 1;
}

/** Pytest's dotted names as its own node ids: `tests.test_a.TestX` and `test_y[1]` become `tests/test_a.py::TestX::test_y[1]`. */
export function toPytestId({ className, name }: TestPlace): string {
  // A file that could not be collected stands in the report under its module's name, without a class.
  if (className === '') return joinId([`${name.replaceAll('.', '/')}.py`]);
  const parts = className.split('.');
  const modules = countModuleParts(parts);
  return joinId([`${parts.slice(0, modules).join('/')}.py`, ...parts.slice(modules), name]);
}

/** The class or suite names to show, without those that only repeat the file, the test or each other. */
function pickContainers({ suites, className, name, file }: TestPlace): readonly string[] {
  // node says `test` for tests outside any suite; others repeat the suites or the whole title in the class name.
  const repeats = className === suites.join('.') || className === name || className === file;
  if (className === '' || repeats || (className === 'test' && suites.length === 0)) return suites;
  // Go reports the package's last part as class and its whole path as suite.
  const suite = suites.at(-1) ?? '';
  return suite.endsWith(className) ? [suite] : [className];
}

/** Everyone else's: file, suites or class, name. A node entry for a whole file is that file's path alone. */
export function toGenericId(place: TestPlace): string {
  const file = toRelative(place.file);
  const name = toRelative(place.name);
  const containers = pickContainers(place)
    .map(toRelative)
    .filter((container) => container !== file);
  return joinId([file, ...containers, name === file ? '' : name]);
}

/** Numbers ids that come up again (`x`, `x #2`, …), in the order of the report, so that base and patched match. */
export function createNumbering(): (id: string) => string {
  const seen = new Map<string, number>();
  return (id) => {
    const count = (seen.get(id) ?? 0) + 1;
    seen.set(id, count);
    return count === 1 ? id : `${id} #${count}`;
  };
}
