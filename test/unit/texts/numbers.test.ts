import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  formatCount,
  formatDuration,
  formatMinutes,
  formatMoment,
  formatNumber,
} from '../../../src/texts/numbers.ts';

describe('src/texts/numbers.ts', () => {
  test('durations read as people say them', () => {
    const shown = [0, 180, 999, 1_250, 9_999, 10_000, 59_999, 60_000, 760_000, 3_600_000, 7_500_000].map(
      formatDuration,
    );
    assert.deepEqual(shown, [
      '0 ms',
      '180 ms',
      '999 ms',
      '1.2 s',
      '9.9 s',
      '10 s',
      '59 s',
      '1 min',
      '12 min 40 s',
      '1 h',
      '2 h 5 min',
    ]);
  });

  test('minutes of progress are whole', () => {
    assert.deepEqual([59_999, 60_000, 759_000].map(formatMinutes), ['less than 1 min', '1 min', '12 min']);
  });

  test('large numbers have separators, one thing has no plural', () => {
    assert.equal(formatNumber(412_803), '412,803');
    assert.deepEqual(
      [0, 1, 2].map((count) => formatCount(count, 'test')),
      ['0 tests', '1 test', '2 tests'],
    );
  });

  test('moments are in UTC, and what is none does not look like one', () => {
    assert.equal(formatMoment('2026-09-01T16:02:11+02:00'), '2026-09-01 14:02:11 UTC');
    assert.equal(formatMoment('now'), 'at an unknown time');
  });
});
