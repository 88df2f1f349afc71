import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UnrecoverableError } from 'bullmq';
import type { Entries, Processor, Taker, Wiring } from '../../../src/queue/connections.ts';
import { createOutageLog } from '../../../src/queue/outage-log.ts';
import { pauseBefore } from '../../../src/queue/retry.ts';
import { startTaking } from '../../../src/queue/take.ts';
import { gatherLog } from '../../fakes/log-lines.ts';

const JOB = { id: 'r_late.queued', name: 'run', data: { v: 1, runId: 'r_late' } };

/** A worker whose entries come when the test says, like BullMQ's that was waiting for one when it was closed. */
async function startWorker() {
  const { log } = gatherLog();
  const handled: string[] = [];
  let give: Processor = async () => assert.fail('no taker yet');
  const entries = {} as Entries;
  const taker: Taker = {
    on: () => {},
    waitUntilReady: async () => undefined as never,
    close: async () => {},
    disconnect: async () => {},
  };
  const wiring: Wiring = {
    kind: 'redis',
    readyMs: 100,
    entries: () => entries,
    taker: (_name, processor) => {
      give = processor;
      return taker;
    },
  };
  const worker = await startTaking({
    ...{ wiring, name: 'x', parked: entries, outage: createOutageLog(log), log },
    ...{ concurrency: 1, lockMs: 1_000, stalledCheckMs: 1_000 },
    handle: async ({ runId }) => void handled.push(runId),
  });
  return { worker, handled, give: () => give(JOB) };
}

describe('src/queue/take.ts', () => {
  it('works on an entry while it is open', async () => {
    const { give, handled } = await startWorker();
    await give();
    assert.deepEqual(handled, ['r_late']);
  });

  it('hands an entry back that reaches it after it was told to close', async () => {
    const { worker, give, handled } = await startWorker();
    const closed = worker.close({ graceMs: 1_000 });
    const error = await give().then(
      () => assert.fail('taken'),
      (err: Error) => err,
    );
    await closed;
    assert.deepEqual(handled, []);
    assert.ok(!(error instanceof UnrecoverableError));
    assert.ok(pauseBefore(5, error) < 1_000);
  });
});
