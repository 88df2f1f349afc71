import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compare } from '../../../src/verification/compare.ts';
import type { Comparison, TestStatus } from '../../../src/verification/types.ts';
import { testCase } from '../../fixtures/runs.ts';

type Statuses = Readonly<Record<string, TestStatus>>;
const NOTHING: Comparison = {
  fixed: [],
  broken: [],
  stillFailing: [],
  stillPassing: [],
  new: [],
  vanished: [],
  nowSkipped: [],
  stillSkipped: [],
};
const toTests = (statuses: Statuses) => Object.entries(statuses).map(([id, status]) => testCase(id, status));
const compared = (base: Statuses, patched: Statuses) => compare(toTests(base), toTests(patched));

describe('src/verification/compare.ts', () => {
  const PAIRS: readonly (readonly [TestStatus | null, TestStatus | null, Partial<Comparison>])[] = [
    ['passed', 'passed', { stillPassing: ['t'] }],
    ['passed', 'failed', { broken: ['t'] }],
    ['passed', 'skipped', { nowSkipped: ['t'] }],
    ['passed', null, { vanished: ['t'] }],
    ['failed', 'passed', { fixed: ['t'] }],
    ['failed', 'failed', { stillFailing: ['t'] }],
    ['failed', 'skipped', { nowSkipped: ['t'] }],
    ['failed', null, { vanished: ['t'] }],
    ['skipped', 'passed', { new: [{ id: 't', status: 'passed' }] }],
    ['skipped', 'failed', { broken: ['t'] }],
    ['skipped', 'skipped', { stillSkipped: ['t'] }],
    ['skipped', null, { vanished: ['t'] }],
    [null, 'passed', { new: [{ id: 't', status: 'passed' }] }],
    [null, 'failed', { new: [{ id: 't', status: 'failed' }] }],
    [null, 'skipped', { new: [{ id: 't', status: 'skipped' }] }],
  ];
  for (const [before, after, expected] of PAIRS) {
    test(`${before ?? 'absent'} before and ${after ?? 'absent'} after is ${Object.keys(expected)}`, () => {
      const found = compared(before ? { t: before } : {}, after ? { t: after } : {});
      assert.deepEqual(found, { ...NOTHING, ...expected });
    });
  }

  test('equal totals do not hide that one was fixed and another broken (E15)', () => {
    const found = compared(
      { a: 'failed', b: 'failed', c: 'failed', d: 'passed' },
      { a: 'passed', b: 'failed', c: 'failed', d: 'failed' },
    );
    assert.deepEqual(found, { ...NOTHING, fixed: ['a'], broken: ['d'], stillFailing: ['b', 'c'] });
  });

  test('a renamed test is vanished and new, not both passed', () => {
    const found = compared({ old: 'failed' }, { renamed: 'passed' });
    assert.deepEqual(found, { ...NOTHING, vanished: ['old'], new: [{ id: 'renamed', status: 'passed' }] });
  });

  test('lists are sorted', () => {
    const found = compared(
      { b: 'failed', a: 'failed' },
      { d: 'passed', b: 'passed', a: 'passed', c: 'passed' },
    );
    assert.deepEqual(found.fixed, ['a', 'b']);
    assert.deepEqual(
      found.new.map(({ id }) => id),
      ['c', 'd'],
    );
  });

  describe('a file that could not be loaded on base', () => {
    const CASES: readonly (readonly [string, Statuses, Partial<Comparison>])[] = [
      [
        'is fixed when all in it passes',
        { 'f.js::a': 'passed', 'f.js::s::b': 'passed' },
        { fixed: ['f.js'] },
      ],
      [
        'still fails when something in it fails',
        { 'f.js::a': 'passed', 'f.js::b': 'failed' },
        { stillFailing: ['f.js'] },
      ],
      ['proves nothing when all in it is skipped', { 'f.js::a': 'skipped' }, { nowSkipped: ['f.js'] }],
      [
        'is vanished when nothing in it is named',
        { 'other.js::a': 'passed', 'f.jsx::a': 'passed' },
        { vanished: ['f.js'] },
      ],
    ];
    for (const [name, patched, expected] of CASES) {
      test(name, () => {
        const { new: _, ...found } = compared({ 'f.js': 'failed' }, patched);
        const { new: __, ...wanted } = { ...NOTHING, ...expected };
        assert.deepEqual(found, wanted);
      });
    }
  });
});
