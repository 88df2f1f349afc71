/** T51: hostile reports are refused quickly, or parsed into inert tests. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { draftBody } from '../../src/texts/draft.ts';
import { compare } from '../../src/verification/compare.ts';
import { parseJunit } from '../../src/verification/junit.ts';
import { findReactions, viewMarkdown } from '../fakes/markdown-view.ts';
import { run, suite, testCase, verification, worked } from '../fixtures/runs.ts';

const MIB = 1024 * 1024;
const wrap = (inside: string) => `<testsuites><testsuite name="s">${inside}</testsuite></testsuites>`;
const CASE = '<testcase classname="c" name="n"/>';
const billion = Array.from({ length: 12 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join(
  '',
);

function problemOf(xml: string) {
  const parsed = parseJunit(xml);
  return parsed.kind === 'invalid' ? parsed.problem : null;
}

const REFUSED: Readonly<Record<string, readonly [ReturnType<typeof problemOf>, string]>> = {
  'an external entity': [
    'doctype',
    `<?xml version="1.0"?><!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]>${wrap('&x;')}`,
  ],
  'a billion laughs': ['doctype', `<!DOCTYPE t [<!ENTITY l0 "lol">${billion}]>${wrap('&l12;')}`],
  'quadratic entities': [
    'doctype',
    `<!DOCTYPE t [<!ENTITY a "${'a'.repeat(50_000)}">]>${wrap('&a;'.repeat(50_000))}`,
  ],
  'a document type without entities': [
    'doctype',
    `<!DOCTYPE testsuites SYSTEM "http://e.example/x.dtd">${wrap(CASE)}`,
  ],
  'a document type in lower case': ['doctype', `<!doctype t>${wrap(CASE)}`],
  'an entity declaration in the middle': ['doctype', wrap(`<!ENTITY x "y">${CASE}`)],
  'great depth': ['too_deep', `${'<testsuite>'.repeat(500_000)}${'</testsuite>'.repeat(500_000)}`],
  'many elements': ['too_many_elements', wrap('<a/>'.repeat(3_000_000))],
  'many tests': ['too_many_tests', wrap(CASE.repeat(60_000))],
  'many comments': ['too_many_elements', wrap('<!---->'.repeat(2_000_000))],
  'many CDATA sections': ['too_many_elements', wrap('<![CDATA[]]>'.repeat(1_200_000))],
  'many instructions': ['too_many_elements', wrap('<?a?>'.repeat(3_000_000))],
  'many attributes': [
    'tag_too_long',
    wrap(`<testcase ${Array.from({ length: 90_000 }, (_, i) => `a${i}="1"`).join(' ')}/>`),
  ],
  'an enormous attribute': ['tag_too_long', wrap(`<testcase name="${'x'.repeat(15 * MIB)}"/>`)],
  'an endless tag': ['tag_too_long', `<testsuites ${' '.repeat(15 * MIB)}`],
  'an endless comment': ['malformed', `<testsuites><!--${'-'.repeat(15 * MIB)}`],
  'open tags only': ['malformed', '<a>'.repeat(60)],
  'closed tags only': ['malformed', '</a>'.repeat(1_000_000)],
  'wrongly nested tags': ['malformed', '<testsuites><testsuite></testsuites></testsuite>'],
  'a cut end': ['malformed', wrap(CASE).slice(0, -5)],
  'an end that is missing': ['malformed', `<testsuites><testsuite name="s">${CASE}`],
  'two roots': ['not_junit', `${wrap(CASE)}${wrap(CASE)}`],
  'another format': ['not_junit', '<html><testcase name="x"/></html>'],
  JSON: ['malformed', '{"tests": []}'],
  nothing: ['malformed', ''],
  'UTF-16': ['malformed', Buffer.from(`\ufeff${wrap(CASE)}`, 'utf16le').toString('utf8')],
  'a prototype as tag': ['not_junit', wrap('<__proto__><testcase name="x"/></__proto__>')],
  'less-than signs': ['malformed', '<'.repeat(5 * MIB)],
  quotes: ['tag_too_long', `<a ${'"'.repeat(5 * MIB)}`],
};

describe('attacks on verification: hostile reports (T51)', () => {
  for (const [name, [problem, xml]] of Object.entries(REFUSED)) {
    test(`${name} is refused within a second`, () => {
      const before = process.memoryUsage().rss;
      const begin = performance.now();
      const found = problemOf(xml);
      const spent = performance.now() - begin;
      assert.equal(found, problem);
      assert.ok(spent < 1_000, `${spent} ms`);
      assert.ok(process.memoryUsage().rss - before < 400 * MIB);
    });
  }

  test('an address in a name is never fetched and an entity never replaced', () => {
    const parsed = parseJunit(wrap('<testcase name="&xxe; &#65;&amp;lt;"/>'));
    assert.deepEqual(parsed.kind === 'parsed' && parsed.tests.map(({ id }) => id), ['s::&xxe; A&lt;']);
  });

  test('names that are keys of every object stay names', () => {
    const parsed = parseJunit(
      wrap('<testcase classname="constructor" name="__proto__" toString="x" hasOwnProperty="y"/>'),
    );
    assert.deepEqual(parsed.kind === 'parsed' && parsed.tests.map(({ id }) => id), [
      'constructor::__proto__',
    ]);
  });

  test('names of 50,000 vanished tests are compared in little time', () => {
    const ids = Array.from({ length: 50_000 }, (_, i) => testCase(`${'a::'.repeat(90)}${i}`, 'passed'));
    const others = Array.from({ length: 50_000 }, (_, i) => testCase(`${'b::'.repeat(90)}${i}`, 'passed'));
    const begin = performance.now();
    assert.equal(compare(ids, others).vanished.length, 50_000);
    assert.ok(performance.now() - begin < 20_000);
  });

  test('Markdown in names and messages is inert in the draft', () => {
    const name = '` @org/team **x** ![y](http://e.example/z) fixes #1 | </details> <img src=x>';
    const toXml = (text: string) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
    const parsed = parseJunit(
      wrap(
        `<testcase name="${toXml(name)}"><failure message="${toXml(name)}">\n/lgtm\n${toXml('```\n@bob')}</failure></testcase>`,
      ),
    );
    assert.equal(parsed.kind, 'parsed');
    const tests = parsed.kind === 'parsed' ? parsed.tests : [];
    const found = verification({
      verdict: 'regression',
      patched: suite(tests),
      comparison: compare([testCase(tests[0]!.id, 'passed')], tests),
    });
    const body = draftBody(run({ worked: worked({ verification: found }) })).replace('asked by @alice', '');
    assert.match(body, /\*\*Broken\*\*: ``/);
    assert.deepEqual(viewMarkdown(body).activeTags, []);
    assert.deepEqual(findReactions(body), []);
  });
});
