import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseRetryAfter } from '../../../src/model/failure.ts';
import { pauseAfter, RETRY_RULES } from '../../../src/model/retry.ts';

describe('src/model/retry.ts', () => {
  it('doubles the pause to its limit, half of it at random', () => {
    const pauses = (random: number) =>
      [1, 2, 5, 9].map((attempt) => pauseAfter(attempt, RETRY_RULES, () => random));
    assert.deepEqual(pauses(1), [1_000, 2_000, 16_000, 60_000]);
    assert.deepEqual(pauses(0), [500, 1_000, 8_000, 30_000]);
  });

  it('outlasts a server that refuses connections for four minutes, even with the shortest pauses (D13)', () => {
    let waited = 0;
    for (let attempt = 1; attempt < RETRY_RULES.attempts; attempt += 1)
      waited += pauseAfter(attempt, RETRY_RULES, () => 0);
    assert.ok(waited > 240_000 && RETRY_RULES.patienceMs > 240_000, String(waited));
  });
});

describe('src/model/failure.ts', () => {
  it('reads Retry-After as seconds or as a date', () => {
    const now = Date.parse('2026-09-01T12:00:00Z');
    const read = (value: string | null) => parseRetryAfter(value, now);
    assert.deepEqual(
      [read('3'), read(' 0.5 '), read(null), read('soon'), read('-1x')],
      [3000, 500, null, null, null],
    );
    assert.equal(read('Tue, 01 Sep 2026 12:00:30 GMT'), 30_000);
    assert.equal(read('Tue, 01 Sep 2026 11:00:00 GMT'), 0);
  });
});
