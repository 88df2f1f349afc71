import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Caps, layerPolicy } from '../../../src/admission/layers.ts';
import { parsePolicy } from '../../../src/admission/parse-policy.ts';

const CAPS: Caps = { steps: 150, minutes: 60, filesChanged: 100, runsADay: 50 };
const layer = (text: string, caps = CAPS) => {
  const parsed = parsePolicy(text);
  assert.ok(parsed.kind === 'policy');
  return layerPolicy(parsed.file, { caps, label: 'tadpole' });
};

/** Small numbers that are the same in every run. */
function createRandom(seed: number): (max: number) => number {
  let state = seed;
  return (max) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * max);
  };
}

describe('src/admission/layers.ts', () => {
  test('leaves to the server what the file leaves out', () => {
    assert.deepEqual(layer(''), {
      policy: {
        enabled: true,
        label: 'tadpole',
        image: null,
        setup: null,
        test: null,
        paths: { deny: [] },
        limits: CAPS,
      },
      narrowed: [],
    });
  });

  test('takes the cap for a wish above it, and says so', () => {
    const { policy, narrowed } = layer(
      'limits: { steps: 500, minutes: 10 }\ntest: { command: x, timeout_minutes: 90 }\n',
    );
    assert.deepEqual(policy.limits, { ...CAPS, minutes: 10 });
    assert.equal(policy.test?.timeoutMinutes, 60);
    assert.deepEqual(narrowed, [
      '`test.timeout_minutes` 90, the server allows 60',
      '`limits.steps` 500, the server allows 150',
    ]);
  });

  test('gives tests 20 minutes unless said otherwise, never more than the cap', () => {
    assert.equal(layer('test: { command: x }').policy.test?.timeoutMinutes, 20);
    assert.equal(layer('test: { command: x, timeout_minutes: 45 }').policy.test?.timeoutMinutes, 45);
    assert.equal(layer('test: { command: x }', { ...CAPS, minutes: 5 }).policy.test?.timeoutMinutes, 5);
  });

  test('never widens a cap: 10,000 policies and servers (T52)', () => {
    const random = createRandom(7);
    const maybe = (max: number) => (random(3) === 0 ? undefined : 1 + random(max));
    for (let n = 0; n < 10_000; n += 1) {
      const caps: Caps = {
        steps: 1 + random(1_000),
        minutes: 1 + random(180),
        filesChanged: 1 + random(500),
        runsADay: 1 + random(500),
      };
      const limits = {
        steps: maybe(10_000),
        minutes: maybe(10_000),
        files_changed: maybe(10_000),
        runs_a_day: maybe(100_000),
      };
      const timeout = maybe(1_440);
      const { policy } = layer(
        JSON.stringify({ limits, test: { command: 'x', timeout_minutes: timeout } }),
        caps,
      );
      const wishes = {
        steps: limits.steps,
        minutes: limits.minutes,
        filesChanged: limits.files_changed,
        runsADay: limits.runs_a_day,
      };
      for (const name of ['steps', 'minutes', 'filesChanged', 'runsADay'] as const) {
        assert.ok(policy.limits[name] <= caps[name] && policy.limits[name] >= 1);
        assert.ok(policy.limits[name] <= (wishes[name] ?? Number.POSITIVE_INFINITY));
      }
      const minutes = policy.test?.timeoutMinutes ?? 0;
      assert.ok(minutes >= 1 && minutes <= caps.minutes && minutes <= (timeout ?? 20));
    }
  });
});
