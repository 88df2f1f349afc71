import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parsePolicy } from '../../../src/admission/parse-policy.ts';
import { POLICY_KEYS, PolicyFile } from '../../../src/admission/policy-schema.ts';

const LABELS = { labels: ['tadpole', 'robot'] };
/** Problems as `line:column text`. */
function problems(text: string): readonly string[] {
  const parsed = parsePolicy(text, LABELS);
  return parsed.kind === 'problems' ? parsed.problems.map((at) => `${at.line}:${at.column} ${at.text}`) : [];
}
function file(text: string): unknown {
  const parsed = parsePolicy(text, LABELS);
  return parsed.kind === 'policy' ? parsed.file : parsed;
}

describe('src/admission/parse-policy.ts', () => {
  test('reads every key', () => {
    const text = `
enabled: true
label: Robot
image: registry.corp/python@sha256:abc
setup: |
  make setup
  make more
test:
  command: pytest -q
  report: { format: none, path: build/report.xml }
  timeout_minutes: 5
paths:
  deny: ["docs/**", "*.lock"]
limits: { steps: 10, minutes: 5, files_changed: 3, runs_a_day: 2 }
`;
    assert.deepEqual(file(text), {
      enabled: true,
      label: 'Robot',
      image: 'registry.corp/python@sha256:abc',
      setup: 'make setup\nmake more',
      test: {
        command: 'pytest -q',
        report: { format: 'none', path: 'build/report.xml' },
        timeout_minutes: 5,
      },
      paths: { deny: ['docs/**', '*.lock'] },
      limits: { steps: 10, minutes: 5, files_changed: 3, runs_a_day: 2 },
    });
  });

  for (const text of ['', '\n\n', '# nothing but a comment\n', '\ufeff', '---\n', 'null\n'])
    test(`takes ${JSON.stringify(text)} for a policy that leaves everything to the server`, () =>
      assert.deepEqual(file(text), {}));

  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['limits:\n  minuts: 3\n', ['2:3 `limits.minuts` is not a known key; did you mean `limits.minutes`?']],
    ['lable: tadpole\n', ['1:1 `lable` is not a known key; did you mean `label`?']],
    ['minutes: 4\n', ['1:1 `minutes` is not a known key; did you mean `limits.minutes`?']],
    ['test: { command: x }\npaths: { allow: [a] }\n', ['2:10 `paths.allow` is not a known key']],
    ['zzzzzz: 1\n', ['1:1 `zzzzzz` is not a known key']],
    ['1: x\n', ['1:1 `1` is not a known key']],
    ['__proto__: { enabled: true }\n', ['1:1 `__proto__` is not a known key']],
    ['constructor: 1\n', ['1:1 `constructor` is not a known key']],
    ['limits:\n  <<: { steps: 3 }\n', ['2:3 `limits.<<` is not a known key']],
    ['enabled: yes\n', ['1:1 `enabled` should be true or false']],
    ['limits: 5\n', ['1:1 `limits` should be a group of keys']],
    ['- a\n', ['1:1 the file should be a group of keys']],
    ['test: {}\n', ['1:1 `test.command` is missing']],
    ['test: { command: "  " }\n', ['1:9 `test.command` should not be empty']],
    ['test: { command: "a\\0b" }\n', ['1:9 `test.command` should have no control characters']],
    ['paths: { deny: docs }\n', ['1:10 `paths.deny` should be a list']],
    ['label: "a\\nb"\n', ['1:1 `label` should be one line']],
    ['label: frog\n', ['1:1 `label` should be one that this server listens to: `tadpole`, `robot`']],
    ['label: tadpole\nlabel: robot\n', ['2:1 this key is there twice']],
    ['a: &x 1\nb: *x\n', ['2:4 aliases are not allowed in a policy']],
    ['enabled: !!js/function x\n', ['1:10 not valid YAML: Unresolved tag: tag:yaml.org,2002:js/function']],
    ['? [a]\n: b\n', ['1:3 a key should be one word']],
    ['enabled: true\n---\nenabled: false\n', ['2:1 there should be one document, without lines of `---`']],
    ['\tenabled: true\n', ['1:1 not valid YAML: Tabs are not allowed as indentation']],
  ];
  for (const [text, expected] of cases)
    test(`says of ${JSON.stringify(text)}: ${expected}`, () => assert.deepEqual(problems(text), expected));

  test('tells all mistakes at once, in the order of the file', () => {
    const text =
      'enabld: true\nlimits: { steps: 0, minutes: 1.5, runs_a_day: "3" }\ntest: { report: { format: xml } }\n';
    assert.deepEqual(problems(text), [
      '1:1 `enabld` is not a known key; did you mean `enabled`?',
      '2:11 `limits.steps` should be at least 1',
      '2:21 `limits.minutes` should be a whole number',
      '2:35 `limits.runs_a_day` should be a whole number',
      '3:1 `test.command` is missing',
      '3:19 `test.report.format` should be junit or none',
    ]);
  });

  for (const path of ['/etc/passwd', '../up.xml', 'a/../../b', '.git/x', 'a\\\\b'])
    test(`keeps the report inside the repository: ${path}`, () =>
      assert.match(
        problems(`test: { command: x, report: { path: "${path}" } }\n`)[0] ?? '',
        /inside the repository/,
      ));

  for (const glob of ['/abs', '!docs/**', 'a/../b', 'a\\\\b', ''])
    test(`takes ${JSON.stringify(glob)} for no path pattern`, () =>
      assert.match(
        problems(`paths: { deny: [ok, "${glob}"] }\n`)[0] ?? '',
        /^1:21 `paths\.deny\[1\]` should/,
      ));

  test('refuses more than 64 KiB', () => {
    assert.deepEqual(problems(`# ${'x'.repeat(65_536)}`), ['1:1 the file is larger than 64 KiB']);
    assert.deepEqual(problems(`# ${'x'.repeat(65_000)}`), []);
  });

  for (const piece of [
    '[',
    '{',
    '- ',
    '? ',
    '&a [',
    '!!a ',
    '"',
    'a: {',
    '\n- ',
    'a:\n ',
    '*a ',
    'x: x\n',
    '| ',
  ])
    test(`says no to 64 KiB of ${JSON.stringify(piece)} without running out of stack`, () =>
      assert.ok(problems(piece.repeat(Math.floor(65_000 / piece.length))).length > 0));

  test('knows the keys that the schema knows', () => {
    const found: Record<string, readonly string[]> = {};
    const visit = (schema: unknown, path: string): void => {
      let at = schema as { shape?: object; unwrap?: () => unknown };
      while (at.unwrap && !at.shape) at = at.unwrap() as typeof at;
      if (!at.shape) return;
      found[path] = Object.keys(at.shape);
      for (const [key, inner] of Object.entries(at.shape)) visit(inner, path === '' ? key : `${path}.${key}`);
    };
    visit(PolicyFile, '');
    assert.deepEqual(found, POLICY_KEYS);
  });
});
