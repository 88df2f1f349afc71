import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parseJunit } from '../../../src/verification/junit.ts';

/** Made by the real runners: pytest 7.2 in both families, node 24. */
const fixture = (name: string) =>
  readFileSync(new URL(`../../fixtures/junit/${name}`, import.meta.url), 'utf8');

function statuses(xml: string): Record<string, string> {
  const parsed = parseJunit(xml);
  assert.equal(parsed.kind, 'parsed');
  return parsed.kind === 'parsed'
    ? Object.fromEntries(parsed.tests.map(({ id, status }) => [id, status]))
    : {};
}

function messageOf(xml: string, id: string): string {
  const parsed = parseJunit(xml);
  return (parsed.kind === 'parsed' && parsed.tests.find((each) => each.id === id)?.message) || '';
}

const PYTEST = {
  'tests/test_a.py::TestOuter::TestInner::test_deep': 'passed',
  'tests/test_a.py::TestOuter::test_m': 'failed',
  'tests/test_a.py::test_p[1]': 'passed',
  'tests/test_a.py::test_p[\\xe9 \\xfc]': 'passed',
  'tests/test_a.py::test_p[a/b]': 'passed',
  'tests/test_a.py::test_p[a::b]': 'passed',
  'tests/test_a.py::test_p[<b>]': 'passed',
  'tests/test_a.py::test_dup[10]': 'passed',
  'tests/test_a.py::test_dup[11]': 'passed',
  'tests/test_a.py::test_s': 'skipped',
  'tests/test_a.py::test_xf': 'skipped',
  'tests/test_a.py::test_xp': 'passed',
  'tests/test_a.py::test_fix': 'failed',
  'tests/test_a.py::test_tear': 'failed',
  'tests/test_a.py::test_tear_fail': 'failed',
  'tests/test_a.py::test_naïve': 'failed',
  'tests/test_a.py::TestSetup::test_1': 'failed',
  'tests/test_a.py::TestSetup::test_2': 'failed',
};

describe('src/verification/junit.ts', () => {
  describe('pytest', () => {
    test('classes, parameters, skips, errors and unicode come as its own ids', () => {
      assert.deepEqual(statuses(fixture('pytest.xml')), PYTEST);
      const parsed = parseJunit(fixture('pytest.xml'));
      assert.equal(parsed.kind === 'parsed' && parsed.tests.length, Object.keys(PYTEST).length);
    });

    test('the older family says the same', () => {
      assert.deepEqual(statuses(fixture('pytest-xunit1.xml')), PYTEST);
    });

    test('a module that could not be collected is its file', () => {
      assert.deepEqual(statuses(fixture('pytest-collection-error.xml')), { 'tests/test_bad.py': 'failed' });
    });

    test('a failure keeps message and text, printable', () => {
      const message = messageOf(fixture('pytest.xml'), 'tests/test_a.py::test_naïve');
      assert.match(message, /^AssertionError: assert 'ü' == 'u'\n {2}- u\n {2}\+ ü\n> {3}def test_naïve/);
    });
  });

  describe('node --test', () => {
    test('files, nested suites, equal names, todo and load errors', () => {
      assert.deepEqual(statuses(fixture('node.xml')), {
        'test/a.test.js::top': 'passed',
        'test/a.test.js::top #2': 'passed',
        'test/a.test.js::fails <&&quot;': 'failed',
        'test/a.test.js::outer::one': 'passed',
        'test/a.test.js::outer::inner é::deep': 'passed',
        'test/a.test.js::outer::inner é::bad': 'failed',
        'test/a.test.js::outer::inner é::sk': 'skipped',
        'test/a.test.js::outer::inner é::td': 'skipped',
        'test/a.test.js::hook::never': 'failed',
        'test/a.test.js::parent::sub': 'passed',
        'test/a.test.js::todo failing': 'skipped',
        'test/a.test.js::empty': 'passed',
        'test/a.test.js::throws': 'failed',
        'test/bad.test.js': 'failed',
      });
    });

    test('no tests are no tests', () => assert.deepEqual(statuses(fixture('node-empty.xml')), {}));

    test('terminal sequences do not come through', () => {
      assert.match(
        messageOf(fixture('node.xml'), 'test/a.test.js::outer::inner é::bad'),
        /^x\nError \[ERR_TEST_FAILURE\]: x\n/,
      );
    });
  });

  /** By the documented shapes of the runners; not made by them. */
  const OTHERS: readonly (readonly [string, string, Record<string, string>])[] = [
    [
      'jest-junit',
      '<testsuites name="jest tests"><testsuite name="sum"><testcase classname="sum adds up" name="sum adds up"/><testcase classname="sum fails" name="sum fails"><failure>x</failure></testcase></testsuite></testsuites>',
      { 'sum::sum adds up': 'passed', 'sum::sum fails': 'failed' },
    ],
    [
      'vitest',
      '<testsuites><testsuite name="src/sum.test.ts"><testcase classname="src/sum.test.ts" name="sum &gt; adds"/></testsuite></testsuites>',
      { 'src/sum.test.ts::sum > adds': 'passed' },
    ],
    [
      'surefire, with a class that could not be set up',
      '<testsuite name="org.x.SumTest"><testcase classname="org.x.SumTest" name="adds"/><testcase classname="org.x.SumTest" name=""><error type="E"><![CDATA[<!DOCTYPE html> & more]]></error></testcase></testsuite>',
      { 'org.x.SumTest::adds': 'passed', 'org.x.SumTest': 'failed' },
    ],
    [
      'gotestsum',
      '<testsuites><testsuite name="example.org/x/sum"><testcase classname="sum" name="TestAdd/zero"/></testsuite><testsuite name="example.org/y/sum"><testcase classname="sum" name="TestAdd/zero"/></testsuite></testsuites>',
      { 'example.org/x/sum::TestAdd/zero': 'passed', 'example.org/y/sum::TestAdd/zero': 'passed' },
    ],
  ];
  for (const [name, xml, expected] of OTHERS) {
    test(`${name} is understood`, () => assert.deepEqual(statuses(xml), expected));
  }

  test('CDATA keeps its characters', () => {
    assert.equal(
      messageOf(
        '<testsuite><testcase name="a"><error><![CDATA[<b> &amp; ]]>&lt;</error></testcase></testsuite>',
        'a',
      ),
      '<b> &amp; <',
    );
  });

  test('absolute paths of the work tree and relative ones are the same file', () => {
    const xml = (file: string) =>
      `<testsuites><testcase file="${file}" classname="test" name="x"/></testsuites>`;
    for (const file of ['/workspace/a.js', './a.js', 'a.js'])
      assert.deepEqual(statuses(xml(file)), { 'a.js::x': 'passed' });
  });

  test('long names stay apart', () => {
    const long = 'x'.repeat(5_000);
    const ids = Object.keys(
      statuses(`<testsuite><testcase name="${long}1"/><testcase name="${long}2"/></testsuite>`),
    );
    assert.equal(ids.length, 2);
    for (const id of ids) assert.ok(id.length <= 300);
  });

  test('messages are capped: head and tail, less for each after the first two hundred', () => {
    const failure = `<failure>START${'x'.repeat(9_000)}END</failure>`;
    const xml = `<testsuite>${Array.from({ length: 300 }, (_, i) => `<testcase name="t${i}">${failure}</testcase>`).join('')}</testsuite>`;
    assert.match(messageOf(xml, 't0'), /^START.*\n\[… [\d,]+ bytes left out …\]\nx*END$/s);
    assert.ok(messageOf(xml, 't0').length <= 2_000);
    assert.ok(messageOf(xml, 't299').length <= 120);
  });

  test('odd durations are none', () => {
    const parsed = parseJunit(
      '<testsuite><testcase name="a" time="0.25"/><testcase name="b" time="soon"/><testcase name="c" time="-1"/></testsuite>',
    );
    assert.deepEqual(parsed.kind === 'parsed' && parsed.tests.map(({ durationMs }) => durationMs), [
      250,
      null,
      null,
    ]);
  });
});
