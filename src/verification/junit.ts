import { clip } from '../clip.ts';
import { printable } from '../printable.ts';
import { createNumbering, type TestPlace, toGenericId, toPytestId } from './test-ids.ts';
import type { TestCase, TestStatus } from './types.ts';
import { attribute, type Element, parseTree, textOf, toElement } from './xml-elements.ts';
import { findXmlProblem, type XmlProblem } from './xml-guard.ts';

/** A report as single tests, or why it can't be used. */
export type ParsedReport =
  | { readonly kind: 'parsed'; readonly tests: readonly TestCase[] }
  | { readonly kind: 'invalid'; readonly problem: XmlProblem | 'not_junit' | 'too_many_tests' };

const MAX_TESTS = 50_000;
/** Kept of each failure text, in UTF-8 bytes, and how many failures keep theirs; the rest keep a line. */
const MESSAGE_BYTES = 2_000;
const FULL_MESSAGES = 200;
const SHORT_MESSAGE_BYTES = 120;

/** Skipped counts before failed: node reports a failing `todo` as both, and it fails nothing. */
function readStatus(testCase: Element): {
  readonly status: TestStatus;
  readonly failures: readonly Element[];
} {
  const parts = testCase.children.flatMap((child) => toElement(child) ?? []);
  if (parts.some(({ tag }) => tag === 'skipped')) return { status: 'skipped', failures: [] };
  const failures = parts.filter(({ tag }) => tag === 'failure' || tag === 'error');
  return { status: failures.length > 0 ? 'failed' : 'passed', failures };
}

function readMessage(failures: readonly Element[], maxBytes: number): string {
  const texts = failures.map((failure) => {
    const message = attribute(failure, 'message').trim();
    const text = textOf(failure).trim();
    return text.startsWith(message) ? text : `${message}\n${text}`.trim();
  });
  return clip(printable(clip(texts.join('\n\n'), 4 * MESSAGE_BYTES)), maxBytes);
}

function readDuration(testCase: Element): number | null {
  const seconds = Number.parseFloat(attribute(testCase, 'time'));
  return Number.isFinite(seconds) && seconds >= 0 ? Math.round(seconds * 1000) : null;
}

interface Found {
  readonly element: Element;
  readonly place: TestPlace;
}

/** Every `testcase` below, with the names of the suites around it. Recursion is bounded by the guard's depth. */
function findTestCases(nodes: readonly unknown[], suites: readonly string[], found: Found[]): void {
  for (const node of nodes) {
    const element = toElement(node);
    if (element === null) continue;
    const name = attribute(element, 'name');
    if (element.tag === 'testsuites') findTestCases(element.children, suites, found);
    if (element.tag === 'testsuite') {
      findTestCases(element.children, name === '' ? suites : [...suites, name], found);
    }
    if (element.tag !== 'testcase') continue;
    const place = {
      suites,
      className: attribute(element, 'classname'),
      name,
      file: attribute(element, 'file'),
    };
    found.push({ element, place });
  }
}

/** Pytest's own suite name, which no other runner uses. */
function isPytest(found: readonly Found[]): boolean {
  return (
    found.length > 0 && found.every(({ place }) => place.suites.length === 1 && place.suites[0] === 'pytest')
  );
}

/** Pytest names each test once, so a second entry is the same test failing in its teardown as well: the worse counts. */
function mergeRepeated(tests: readonly TestCase[]): readonly TestCase[] {
  const byId = new Map<string, TestCase>();
  for (const test of tests) {
    const known = byId.get(test.id);
    if (known === undefined || (test.status === 'failed' && known.status !== 'failed'))
      byId.set(test.id, test);
  }
  return [...byId.values()];
}

function toTestCases(found: readonly Found[], toId: (place: TestPlace) => string): readonly TestCase[] {
  let failed = 0;
  return found.map(({ element, place }) => {
    const { status, failures } = readStatus(element);
    if (status === 'failed') failed += 1;
    const maxBytes = failed <= FULL_MESSAGES ? MESSAGE_BYTES : SHORT_MESSAGE_BYTES;
    return {
      id: toId(place),
      status,
      durationMs: readDuration(element),
      message: status === 'failed' ? readMessage(failures, maxBytes) : null,
    };
  });
}

/** No fewer than there are: what stands in text counts too. Cheap, so that too many are refused before anything is built. */
function countTests(xml: string): number {
  let count = 0;
  for (let at = xml.indexOf('<testcase'); at !== -1; at = xml.indexOf('<testcase', at + 1)) count += 1;
  return count;
}

/**
 * Parses a JUnit report of any dialect (proven: pytest, node) into tests with normalised, unique ids. The text is hostile:
 * it was written by the process that it judges.
 */
export function parseJunit(xml: string): ParsedReport {
  const text = xml.replace(/^\ufeff/, '');
  const problem = findXmlProblem(text);
  if (problem !== null) return { kind: 'invalid', problem };
  if (countTests(text) > MAX_TESTS) return { kind: 'invalid', problem: 'too_many_tests' };
  const roots = parseTree(text);
  const tags = roots.flatMap((node) => toElement(node)?.tag ?? []);
  if (tags.length !== 1 || (tags[0] !== 'testsuites' && tags[0] !== 'testsuite')) {
    return { kind: 'invalid', problem: 'not_junit' };
  }
  const found: Found[] = [];
  findTestCases(roots, [], found);
  if (isPytest(found)) return { kind: 'parsed', tests: mergeRepeated(toTestCases(found, toPytestId)) };
  const number = createNumbering();
  return { kind: 'parsed', tests: toTestCases(found, (place) => number(toGenericId(place))) };
}
