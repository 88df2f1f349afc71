import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UnrecoverableError } from 'bullmq';
import { fault } from '../../../src/errors.ts';
import { pauseBefore, toQueueError } from '../../../src/queue/retry.ts';

const OPEN = { closing: false };

describe('src/queue/retry.ts', () => {
  it('ends an entry whose fault is not retryable, also one that nobody expected', () => {
    assert.ok(toQueueError(fault('forge_forbidden', { detail: 'x' }), OPEN) instanceof UnrecoverableError);
    assert.ok(toQueueError(new TypeError('x'), OPEN) instanceof UnrecoverableError);
    assert.ok(!(toQueueError(fault('git_failed', { detail: 'x' }), OPEN) instanceof UnrecoverableError));
  });

  it('hands every entry back while the worker closes', () => {
    const error = toQueueError(fault('forge_forbidden', { detail: 'x' }), { closing: true });
    assert.ok(!(error instanceof UnrecoverableError));
    assert.ok(pauseBefore(5, error) < 1_000);
  });

  it('waits as long as the fault says, else longer each time up to a minute', () => {
    const limited = toQueueError(fault('forge_rate_limited', { detail: 'x', retryAfterMs: 90_000 }), OPEN);
    assert.equal(pauseBefore(1, limited), 90_000);
    const failed = toQueueError(fault('git_failed', { detail: 'x' }), OPEN);
    const pauses = [1, 2, 3, 4, 5, 6, 100].map((attempts) => pauseBefore(attempts, failed));
    assert.deepEqual(pauses, [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('keeps nothing of an error but its code', () => {
    const error = toQueueError(
      fault('git_failed', { detail: 'token ghs_x', cause: new Error('ghs_x') }),
      OPEN,
    );
    assert.equal(error.message, 'git_failed');
    assert.equal(error.stack, '');
    assert.equal(error.cause, undefined);
  });
});
