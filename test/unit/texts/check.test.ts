import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { byteLength } from '../../../src/clip.ts';
import { checkRun } from '../../../src/texts/check.ts';
import type { Verdict } from '../../../src/verification/types.ts';
import { run, verification, worked } from '../../fixtures/runs.ts';

const checkFor = (verdict: Verdict) =>
  checkRun(
    run({
      worked: worked({ verification: verification({ verdict, reason: 'as it was', comparison: null }) }),
    }),
  );

describe('src/texts/check.ts', () => {
  test('a verified change is a success about tests, with the warning first', () => {
    assert.deepEqual(checkRun(run()), {
      commit: 'd'.repeat(40),
      name: 'Tadpole: verification',
      conclusion: 'success',
      title: 'Verified as far as tests can: 1 test fixed, none broken, 2 unchanged',
      summary: `**Passing tests do not mean that this change is correct. Review it as you would a stranger's patch.**

**Verified as far as tests can**: the test that failed before passes now, in clean sandboxes that the agent never touched.

|  | base \`3f2c1ab\` | this change |
|---|---|---|
| passed | 2 | 3 |
| failed | 1 | 0 |
| skipped | 1 | 1 |

- **Fixed**: \`tests/test_total.py::test_first_row\`
- **Broken**: none

**Not tested**: 1 skipped test; anything that needs a network.`,
    });
  });

  test('nothing else is a success', () => {
    assert.equal(checkFor('unproven')?.conclusion, 'neutral');
    assert.equal(checkFor('regression')?.conclusion, 'failure');
    assert.equal(checkFor('not_measurable')?.conclusion, 'neutral');
    assert.equal(checkFor('no_tests')?.conclusion, 'neutral');
    assert.equal(checkFor('unproven')?.title, 'Unproven: as it was');
  });

  test("holds none of the model's words", () => {
    const { agent, ...others } = worked();
    const check = checkRun(run({ worked: { ...others, agent: { ...agent, lastWords: 'CANARY' } } }));
    assert.ok(!JSON.stringify(check).includes('CANARY'));
  });

  test('there is none without a draft or without verification', () => {
    assert.equal(checkRun(run({ published: null })), null);
    assert.equal(checkRun(run({ worked: worked({ verification: null }) })), null);
  });

  test('stays within what forges take', () => {
    const ids = Array.from({ length: 5_000 }, (_, i) => `${'😀'.repeat(200)}${i}`);
    const comparison = {
      ...verification().comparison!,
      broken: ids,
      fixed: ids,
      vanished: ids,
      nowSkipped: ids,
      stillFailing: ids,
    };
    const check = checkRun(run({ worked: worked({ verification: verification({ comparison }) }) }));
    assert.ok(byteLength(check!.summary) <= 65_535);
  });
});
