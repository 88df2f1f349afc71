import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault } from '../../../src/errors.ts';
import { findProfile } from '../../../src/model/profiles/find-profile.ts';

describe('src/model/profiles/find-profile.ts', () => {
  it('finds the standard profile with the evaluated limits', () => {
    const { limits, version } = findProfile('frognano');
    assert.deepEqual(limits, { steps: 150, wallMs: 10_800_000, contextTokens: 131_072, turnTokens: 8_192 });
    assert.equal(version, 1);
  });

  it('names the profiles there are when asked for another', () => {
    const isClear = (err: unknown) =>
      err instanceof Fault &&
      err.code === 'config_invalid' &&
      /MODEL_PROFILE.*"toad"; known: frognano/.test(err.detail);
    assert.throws(() => findProfile('toad'), isClear);
  });
});
