import assert from 'node:assert/strict';
import { basename, dirname } from 'node:path';
import { describe, test } from 'node:test';
import { findCalls } from './calls.ts';
import { readSources, type SourceFile } from './sources.ts';

const MAX_LINES = 250;
const MEDIAN_LINES = 60;
const FORBIDDEN_NAMES = new Set([
  'utils',
  'util',
  'helpers',
  'helper',
  'common',
  'lib',
  'core',
  'manager',
  'service',
  'misc',
  'index',
]);

const source = readSources('src');
const tests = readSources('test');
const everything = [...source, ...tests, ...readSources('scripts')];

const LOG_CALL = /\b(?:log|logger)\.(?:trace|debug|info|warn|error|fatal)\(/g;
/** Lower-case words that start with a letter; data goes in fields. */
const PHRASE = /^'[a-z][^A-Z\n]*'$/;

/** Log calls whose message is not a constant lower-case phrase. */
function findLooseMessages({ path, text }: SourceFile): readonly string[] {
  const loose = findCalls(text, LOG_CALL).filter(({ args }) => {
    const message = args.length === 1 ? args[0] : args[1];
    return message === undefined || !isConstant(message) || args.length > 2;
  });
  return loose.map(({ line, args }) => `${path}:${line} ${args.join(', ').replace(/\s+/g, ' ')}`);
}

/** A phrase, or a choice between two phrases. */
function isConstant(source: string): boolean {
  const choice = /^[^?]+\?\s*('[^']*')\s*:\s*('[^']*')$/.exec(source);
  return choice ? [choice[1], choice[2]].every((each) => PHRASE.test(each ?? '')) : PHRASE.test(source);
}

/** Lines that are not blank. */
function lengthOf({ text }: SourceFile): number {
  return text.split('\n').filter((line) => line.trim() !== '').length;
}

describe('style', () => {
  test(`no file has more than ${MAX_LINES} lines`, () => {
    const long = everything.filter(({ text }) => text.trimEnd().split('\n').length > MAX_LINES);
    assert.deepEqual(
      long.map(({ path }) => path),
      [],
    );
  });

  test(`half of the files under src have at most ${MEDIAN_LINES} lines that are not blank`, () => {
    const lengths = source.map(lengthOf).sort((a, b) => a - b);
    const median = lengths[Math.floor(lengths.length / 2)] ?? 0;
    assert.ok(median <= MEDIAN_LINES, `the median is ${median}`);
  });

  test('no file or folder has a name that says nothing', () => {
    const vague = source.filter(({ path }) => {
      const names = [basename(path, '.ts'), ...dirname(path).split('/')];
      return names.some((name) => name.split('-').some((part) => FORBIDDEN_NAMES.has(part) && part === name));
    });
    assert.deepEqual(
      vague.map(({ path }) => path),
      [],
    );
  });

  test('file names are kebab-case', () => {
    const odd = source.filter(({ path }) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(basename(path, '.ts')));
    assert.deepEqual(
      odd.map(({ path }) => path),
      [],
    );
  });

  test('nothing is exported as default, and no port is re-exported', () => {
    const found = source.filter(({ text }) => /^export (?:default\b|\*)/m.test(text));
    assert.deepEqual(
      found.map(({ path }) => path),
      [],
    );
  });

  test('log messages are constant lower-case phrases', () => {
    assert.deepEqual(source.flatMap(findLooseMessages), []);
  });

  test('no test mocks a module, and none is focused', () => {
    const banned = /\bmock\.module\b|\b(?:test|it|describe|suite)\.only\b|\bonly:\s*true/;
    const found = tests.filter(({ path, text }) => !path.startsWith('test/unit/docs/') && banned.test(text));
    assert.deepEqual(
      found.map(({ path }) => path),
      [],
    );
  });

  test('test files are named so that the runner finds them', () => {
    const lost = tests.filter(
      ({ path, text }) =>
        /^test\/(?:unit|contract|integration|attacks|e2e|real)\//.test(path) &&
        !path.endsWith('.test.ts') &&
        /^(?:test|it|describe)\(/m.test(text),
    );
    assert.deepEqual(
      lost.map(({ path }) => path),
      [],
    );
  });
});

describe('the check of log messages', () => {
  const check = (text: string) => findLooseMessages({ path: 'x', text }).length;

  test('accepts constant phrases with their fields, over several lines, and a choice of two', () => {
    assert.equal(check("log.info({ runId: f(a, 'B, c)') }, 'run started');"), 0);
    assert.equal(check("log.warn(\n  { err, list: [1, 2] },\n  'model call failed',\n);"), 0);
    assert.equal(check("log.debug('entry dropped');"), 0);
    assert.equal(check("log.info({ a }, again ? 'step failed, again' : 'step failed');"), 0);
  });

  for (const bad of [
    'log.info(`run started`);',
    "log.warn({ err }, 'Failed');",
    'log.error({ err }, message);',
    "log.info({ err }, 'failed: ' + text);",
    "log.info({ err }, 'failed %s', text);",
    'log.info({ err });',
    'log.error(err);',
  ]) {
    test(`refuses ${bad}`, () => assert.equal(check(bad), 1));
  }
});
