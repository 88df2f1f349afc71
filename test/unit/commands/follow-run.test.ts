import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { followRun } from '../../../src/commands/follow-run.ts';
import { createDiary, createRun, WHOLE_RUN } from './run-diary.ts';

describe('src/commands/follow-run.ts', () => {
  test('tells every event once and in order, and ends when the run has ended', async () => {
    const seen: number[] = [];
    const diary = createDiary(WHOLE_RUN);
    for await (const { seq } of followRun(diary, 'r', { signal: new AbortController().signal }))
      seen.push(seq);
    assert.deepEqual(
      seen,
      WHOLE_RUN.map((_, at) => at + 1),
    );
  });

  test('stops when it is told to', async () => {
    const controller = new AbortController();
    const silent = { readRun: async () => createRun(), readEvents: async () => [] };
    const reading = followRun(silent, 'r', { signal: controller.signal }).next();
    controller.abort();
    await assert.rejects(reading, { name: 'AbortError' });
  });
});
