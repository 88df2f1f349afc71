import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { EXIT_REASONS } from '../../../src/run/types.ts';
import { endedText, type Progress, workingText } from '../../../src/texts/status.ts';
import { admitted, run, verification, worked } from '../../fixtures/runs.ts';

const NOW = new Date('2026-09-01T14:14:30Z');
const AGENT: Progress = {
  stage: 'agent',
  turn: 31,
  agentStartedAt: '2026-09-01T14:02:15Z',
  probes: { closed: 11, total: 11 },
  recorded: false,
};

const nothing = worked({ change: { kind: 'none', ignored: 0 }, verification: null });

describe('src/texts/status.ts', () => {
  describe('while a run is not ended', () => {
    test('it is queued until the sandbox side tells of it', () => {
      assert.equal(
        workingText(run({ outcome: null, worked: null }), null, NOW),
        "**Tadpole: queued.** Asked by @alice with the label `tadpole`. The issue's text as of 2026-09-01 14:02:11 UTC was taken; later edits are not read.",
      );
    });

    const CASES: readonly (readonly [Partial<Progress>, string])[] = [
      [{}, 'turn 31 of at most 150, 12 min of at most 60 min. Sandbox isolated (11 of 11 probes closed).'],
      [{ turn: null }, 'the model begins. Sandbox isolated (11 of 11 probes closed).'],
      [{ stage: 'sandbox', turn: null, probes: null }, 'making the sandbox.'],
      [
        { stage: 'verification' },
        'running the tests, without and with the change. Sandbox isolated (11 of 11 probes closed).',
      ],
      [
        { stage: 'change', recorded: true, probes: null },
        'looking at the change. Recorded model: no model was asked, its turns were played back from a recording.',
      ],
      [
        { agentStartedAt: NOW.toISOString(), probes: null },
        'turn 31 of at most 150, less than 1 min of at most 60 min.',
      ],
    ];
    for (const [changes, expected] of CASES) {
      test(`it says: ${expected}`, () => {
        assert.equal(workingText(run(), { ...AGENT, ...changes }, NOW), `**Tadpole: working**, ${expected}`);
      });
    }
  });

  describe('when a run ended', () => {
    const ended = (name: string, changes: Parameters<typeof run>[0], expected: string) =>
      test(name, () => assert.equal(endedText(run(changes)), expected));

    ended(
      'with a verified draft',
      {},
      "**Tadpole opened a draft: #318.** 1 test fixed, none broken, 2 unchanged. Review it as you would a stranger's patch.",
    );
    ended(
      'with an unproven draft on a base that has moved',
      {
        outcomeDetails: { baseMoved: 'true' },
        worked: worked({
          verification: verification({
            verdict: 'unproven',
            reason: 'no test that failed before passes now',
          }),
        }),
      },
      "**Tadpole opened a draft: #318.** Unproven: no test that failed before passes now. 1 test fixed, none broken, 2 unchanged. The default branch has moved since the run began, so the draft may conflict with it. Review it as you would a stranger's patch.",
    );
    ended(
      'with a draft that was not measured',
      {
        worked: worked({
          verification: verification({
            verdict: 'no_tests',
            reason: 'the policy has no test command',
            comparison: null,
          }),
        }),
      },
      "**Tadpole opened a draft: #318.** Not measured: the policy has no test command. Review it as you would a stranger's patch.",
    );
    ended(
      'without a change',
      { outcome: 'no_changes', worked: nothing },
      '**Tadpole made no draft: the model found nothing to change.** Its last words, not checked: `The loop started at index 1, so the first row was never added.`. Nothing was pushed. To try again with a hint, edit the issue and set the label again.',
    );
    ended(
      'with rubbish only, and a silent model',
      {
        outcome: 'no_changes',
        worked: {
          ...nothing,
          agent: { ...nothing.agent, lastWords: ' ' },
          change: { kind: 'none', ignored: 3 },
        },
      },
      '**Tadpole made no draft: the model found nothing to change.** Only ignored files and caches differ (3 files). Nothing was pushed. To try again with a hint, edit the issue and set the label again.',
    );
    ended(
      'by a limit',
      {
        outcome: 'limit_reached',
        worked: { ...nothing, agent: { ...nothing.agent, exitReason: 'max_turns' } },
      },
      "**Tadpole made no draft: its 150 turns were used up.** The model was stopped at work, so what it left is not offered. Nothing was pushed. Make the issue smaller or more exact and set the label again. The policy's `limits.steps` may allow more.",
    );
    ended(
      'by taking the label off',
      { outcome: 'cancelled', worked: null, outcomeDetails: { reason: 'label_removed' } },
      '**Tadpole stopped: the label was taken off.** Nothing was pushed. Set it again to start anew.',
    );
    ended(
      'by closing the issue, as the store knows',
      { outcome: 'cancelled', worked: null, cancelRequested: 'issue_closed' },
      '**Tadpole stopped: the issue was closed.** Nothing was pushed. Open it and set the label again to start anew.',
    );
    ended(
      'with a change that is not allowed',
      {
        outcome: 'change_refused',
        worked: worked({
          change: {
            kind: 'refused',
            problems: [
              '".github/workflows/a.yml" is among the CI files',
              '61 files are changed, at most 50 may be',
            ],
          },
          verification: null,
        }),
      },
      '**Tadpole made no draft: the change is one that the policy or Tadpole itself does not allow.**\n\n- `.github/workflows/a.yml` is among the CI files\n- 61 files are changed, at most 50 may be\n\nNothing was pushed. Say in the issue what must stay as it is, or change the policy file where it is too strict, and set the label again.',
    );
    ended(
      'with a push that the forge refused',
      {
        outcome: 'publish_refused',
        outcomeDetails: { code: 'push_rejected', said: 'remote: @alice says no' },
      },
      "**Tadpole opened no draft: the forge refused the push.** Mend what it names, or ask the forge's administrators, and set the label again.\n\nThe forge's own words:\n\n```text\nremote: @ alice says no\n```",
    );
    ended(
      'by our fault',
      {
        outcome: 'faulted',
        worked: null,
        outcomeDetails: {
          fault: 'sandbox_start_failed',
          text: 'the sandbox could not start (no room for 4 GiB of memory)',
        },
      },
      "**Tadpole stopped: our fault, not your issue's.** What happened: the sandbox could not start (no room for 4 GiB of memory). It will not be retried by itself; set the label again later. For operators: run `r_01J6Z8Q4M5N6P7R8S9T0V1W2X3`, fault `sandbox_start_failed`.",
    );
    ended(
      'with a code of another version, which is shown',
      { outcome: 'refused', worked: null, outcomeDetails: { code: 'constructor' } },
      '**Tadpole did not start: the reason has the code `constructor`.** Those who run Tadpole can look it up.',
    );

    test('a recorded model is said with every ending', () => {
      const { agent, ...others } = nothing;
      const text = endedText(
        run({ outcome: 'no_changes', worked: { ...others, agent: { ...agent, recorded: true } } }),
      );
      assert.match(
        text,
        /\n\nRecorded model: no model was asked, its turns were played back from a recording\.$/,
      );
    });

    test('every limit has words and a way to mend it', () => {
      for (const exitReason of EXIT_REASONS) {
        const text = endedText(
          run({ outcome: 'limit_reached', worked: { ...nothing, agent: { ...nothing.agent, exitReason } } }),
        );
        assert.match(text, /^\*\*Tadpole made no draft: [^_]+\.\*\* .* set the label again/i, exitReason);
      }
    });
  });

  test('limits of the policy are the ones that are named', () => {
    const { policy, ...others } = admitted();
    const facts = {
      ...others,
      policy: { ...policy, limits: { ...policy.limits, steps: 1_200, minutes: 5 } },
    };
    assert.match(
      workingText(run({ admitted: facts }), AGENT, NOW),
      /turn 31 of at most 1,200, 12 min of at most 5 min/,
    );
  });
});
