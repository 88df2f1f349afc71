import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findTests, parseSelection, TIER_NAMES } from '../../runner/tiers.ts';
import { ROOT } from '../docs/sources.ts';

describe('test/runner/tiers.ts', () => {
  test('without arguments every tier runs, whole', () => {
    assert.deepEqual(parseSelection([]), { tiers: TIER_NAMES, parts: [] });
  });

  test('tiers and parts of paths may be mixed; tiers keep their order', () => {
    assert.deepEqual(parseSelection(['integration', 'config', 'unit']), {
      tiers: ['unit', 'integration'],
      parts: ['config'],
    });
  });

  test('a part alone is looked for in every tier', () => {
    assert.deepEqual(parseSelection(['config']), { tiers: TIER_NAMES, parts: ['config'] });
  });

  test('finds files by part of their path, also one that was completed by a shell', () => {
    const found = findTests(ROOT, 'unit', ['./test/unit/runner/tiers']);
    assert.deepEqual(found, [`${ROOT}test/unit/runner/tiers.test.ts`]);
    assert.deepEqual(findTests(ROOT, 'unit', ['no such part']), []);
    assert.ok(findTests(ROOT, 'unit', []).length > 3);
  });
});
