import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CommentRequest } from '../../../src/forge/types.ts';
import { startProgress } from '../../../src/run/progress.ts';
import type { Run, RunEvent } from '../../../src/store/types.ts';
import { gatherLog } from '../../fakes/log-lines.ts';
import { run } from '../../fixtures/runs.ts';

const STARTED = '2026-09-01T14:02:20Z';

function event(seq: number, changes: Partial<RunEvent>): RunEvent {
  return { seq, at: STARTED, epoch: 1, stage: 'agent', kind: 'progress', data: {}, ...changes };
}

const EVENTS = [
  event(1, { stage: 'sandbox', kind: 'started' }),
  event(2, { stage: 'sandbox', kind: 'finished', data: { closed: 11, probes: 12 } }),
  event(3, { kind: 'started' }),
  event(4, { data: { turn: 7 } }),
];

/** Runs the loop over one run until it has written a comment. */
async function firstComment(told: Run, events: readonly RunEvent[]): Promise<CommentRequest> {
  const store = {
    listRuns: async () => [told],
    readRun: async () => told,
    readEvents: async () => events,
  };
  const written = Promise.withResolvers<CommentRequest>();
  const ensureComment = async (_ref: unknown, _issue: number, comment: CommentRequest) => {
    written.resolve(comment);
    return { webUrl: 'https://git.corp/x' };
  };
  const { log } = gatherLog();
  const { signal } = new AbortController();
  const loop = startProgress({ store, forge: { ensureComment }, log, everyMs: 1, recorded: false, signal });
  try {
    return await written.promise;
  } finally {
    loop.stop();
  }
}

describe('src/run/progress.ts', () => {
  const prepared = run({ state: 'prepared', worked: null, outcome: null });

  test('turn, limits and probes come from the events', async () => {
    const { marker, body } = await firstComment(prepared, EVENTS);
    assert.equal(marker, `run=${prepared.id}`);
    assert.match(body, /^\*\*Tadpole: working\*\*, turn 7 of at most 150, /);
    assert.match(body, / Sandbox isolated \(11 of 12 probes closed\)\.$/);
  });

  test('the last stage is the one that is told', async () => {
    const { body } = await firstComment(prepared, [
      ...EVENTS,
      event(5, { stage: 'verification', kind: 'started' }),
    ]);
    assert.match(body, /^\*\*Tadpole: working\*\*, running the tests, without and with the change\./);
  });
});
