import type { Comparison, TestCase, TestStatus } from './types.ts';

type Statuses = ReadonlyMap<string, TestStatus>;
type ListName = Exclude<keyof Comparison, 'new'>;

const toStatuses = (tests: readonly TestCase[]): Statuses =>
  new Map(tests.map(({ id, status }) => [id, status]));

/** What became of a test that both runs name. A skipped test was not run, so going red from there is breaking it. */
const BECAME: Readonly<Record<TestStatus, Readonly<Record<TestStatus, ListName | 'new'>>>> = {
  passed: { passed: 'stillPassing', failed: 'broken', skipped: 'nowSkipped' },
  failed: { passed: 'fixed', failed: 'stillFailing', skipped: 'nowSkipped' },
  skipped: { passed: 'new', failed: 'broken', skipped: 'stillSkipped' },
};

/** A file and the suites in it; deeper ones are not reported as entries of their own. */
const CONTAINER_DEPTH = 8;

/**
 * Status of each file or suite by its contents. A runner reports a file that could not be loaded as one failed test, and
 * the tests in it by their own names once it can: then the base's entry for the file is compared with them.
 */
function toContainers(statuses: Statuses): Statuses {
  const containers = new Map<string, TestStatus>();
  for (const [id, status] of statuses) {
    let end = id.indexOf('::');
    for (let depth = 0; end !== -1 && depth < CONTAINER_DEPTH; depth += 1) {
      const container = id.slice(0, end);
      containers.set(container, WORSE[status](containers.get(container)));
      end = id.indexOf('::', end + 2);
    }
  }
  return containers;
}

/** One failure fails the container; it passes when something in it passed. */
const WORSE: Readonly<Record<TestStatus, (known: TestStatus | undefined) => TestStatus>> = {
  failed: () => 'failed',
  passed: (known) => (known === 'failed' ? 'failed' : 'passed'),
  skipped: (known) => known ?? 'skipped',
};

/**
 * Compares two runs test by test, never by counts (E15): a suite that fixes one test and breaks another has the same totals.
 * A test that is missing from a run neither passed nor failed there.
 */
export function compare(base: readonly TestCase[], patched: readonly TestCase[]): Comparison {
  const before = toStatuses(base);
  const after = toStatuses(patched);
  const containers = toContainers(after);
  const lists: Record<ListName, string[]> = {
    fixed: [],
    broken: [],
    stillFailing: [],
    stillPassing: [],
    vanished: [],
    nowSkipped: [],
    stillSkipped: [],
  };
  const added = new Map<string, TestStatus>();
  for (const [id, status] of after) if (!before.has(id)) added.set(id, status);
  for (const [id, was] of before) {
    const is = after.get(id) ?? containers.get(id) ?? null;
    if (is === null) lists.vanished.push(id);
    else {
      const list = BECAME[was][is];
      if (list === 'new') added.set(id, is);
      else lists[list].push(id);
    }
  }
  for (const list of Object.values(lists)) list.sort();
  return { ...lists, new: [...added].map(([id, status]) => ({ id, status })).sort(byId) };
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : 1;
}
