import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { branchName } from '../../../src/run/branch-name.ts';

describe('src/run/branch-name.ts', () => {
  it('is made of the issue and eight characters of the run', () => {
    assert.equal(
      branchName({ issue: 42, runId: 'r_01JDZK3V8Q4M5N6P7R8S9T0V1W' }),
      'tadpole/issue-42-4m5n6p7r',
    );
  });

  it('holds none but our own characters', () => {
    assert.match(
      branchName({ issue: 1, runId: 'r_$(touch x);../../refs' }),
      /^tadpole\/issue-1-[a-z0-9]{8}$/,
    );
  });
});
