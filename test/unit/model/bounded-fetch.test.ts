import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dispatcherOptions } from '../../../src/model/bounded-fetch.ts';

describe('src/model/bounded-fetch.ts', () => {
  it('lets the dispatcher wait longer than the configured time-out, for headers and body (D11)', () => {
    const { headersTimeout = 0, bodyTimeout = 0, allowH2 } = dispatcherOptions({ timeoutMs: 900_000 });
    assert.ok(headersTimeout > 900_000 && bodyTimeout > 900_000);
    assert.equal(allowH2, false);
  });
});
