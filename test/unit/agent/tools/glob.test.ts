import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byCodePoint, keepFirst } from '../../../../src/agent/tools/glob/keep-first.ts';
import { matchesName, parseName } from '../../../../src/agent/tools/glob/match-name.ts';
import { matchesPath, parseGlob } from '../../../../src/agent/tools/glob/pattern.ts';
import { python, randomText, seeded } from '../../../fakes/python.ts';

describe('src/agent/tools/glob/match-name.ts', () => {
  it('matches names as fnmatch does', () => {
    const random = seeded(3);
    const pieces = [
      '*',
      '?',
      '[',
      ']',
      '!',
      '-',
      'a',
      'b',
      'c',
      '.',
      '^',
      '\\',
      '[a-c]',
      '[!b]',
      'é',
      '😀',
      ' ',
    ];
    const pairs = Array.from({ length: 6000 }, () => [
      randomText(random, pieces, 5),
      randomText(random, ['a', 'b', 'c', '.', '-', ']', '[', '!', 'é', '😀', '\n'], 3),
    ]);
    const expected = python(
      'import fnmatch\nresult = [fnmatch.fnmatchcase(n, p) for p, n in data]',
      pairs,
    ) as boolean[];
    assert.ok(expected.filter(Boolean).length > 100);
    for (const [index, [pattern = '', name = '']] of pairs.entries())
      assert.equal(
        matchesName(parseName(pattern), name),
        expected[index],
        `${pattern} ${JSON.stringify(name)}`,
      );
  });

  it('takes no time for a pattern that would make a regular expression go back and forth (T43)', () => {
    const pattern = parseName(`${'*a'.repeat(120)}b`);
    const begin = performance.now();
    for (let round = 0; round < 200; round += 1) assert.equal(matchesName(pattern, 'a'.repeat(255)), false);
    assert.ok(performance.now() - begin < 10_000);
  });
});

describe('src/agent/tools/glob/pattern.ts', () => {
  const matches = (pattern: string, path: string) => {
    const glob = parseGlob(pattern, '.');
    return glob !== null && matchesPath(glob, path);
  };

  it('knows folders, hidden names and the end of a pattern', () => {
    const cases: [string, string, boolean][] = [
      ['**/*.py', 'a.py', true],
      ['**/*.py', 'x/y/a.py', true],
      ['**/*.py', 'x/.y/a.py', false],
      ['**/*.py', '.a.py', false],
      ['**', 'x/y', true],
      ['**', '.x/y', false],
      ['*', 'x/y', false],
      ['*/**', 'y', false],
      ['**/.*', 'x/.env', true],
      ['**/.github/**/*.yml', 'p/.github/w/ci.yml', true],
      ['a**b', 'axxb', true],
      ['a**b', 'a/b', false],
      ['**/**/b', 'b', true],
      ['**/a/**/b/*', 'a/x/a/b/c', true],
    ];
    for (const [pattern, path, expected] of cases)
      assert.equal(matches(pattern, path), expected, `${pattern} ${path}`);
  });

  it('begins below the part without wildcards', () => {
    const plan = (pattern: string, base = '.') => {
      const glob = parseGlob(pattern, base);
      return glob && [glob.root, glob.depth, glob.wantsHidden];
    };
    assert.deepEqual(plan('src/lib/*.ts'), ['./src/lib', 1, false]);
    assert.deepEqual(plan('src/**/x/*.ts', 'pkg'), ['pkg/src', null, false]);
    assert.deepEqual(plan('/etc/*/a'), ['/etc', 2, false]);
    assert.deepEqual(plan('/*'), ['/', 1, false]);
    assert.deepEqual(plan('~/.ssh/*'), ['~/.ssh', 1, false]);
    assert.deepEqual(plan('a/b.py'), ['./a', 1, false]);
    assert.deepEqual(plan('.env'), ['.', 1, true]);
    assert.deepEqual(plan('../*'), ['./..', 1, false]);
    assert.deepEqual([plan('src/'), plan('.'), plan('**/')], [null, null, null]);
  });
});

describe('src/agent/tools/glob/keep-first.ts', () => {
  it('keeps the first in order and counts all', () => {
    const kept = keepFirst<string>(3, byCodePoint);
    for (let index = 99; index >= 0; index -= 1) kept.add(String(index).padStart(3, '0'));
    assert.deepEqual([kept.sorted(), kept.count], [['000', '001', '002'], 100]);
  });

  it('sorts as Python does', () => {
    const names = ['b', 'B', 'é', '\uffff', '😀', 'a/b', 'a.b', 'a', ''];
    assert.deepEqual([...names].sort(byCodePoint), python('result = sorted(data)', names));
  });
});
