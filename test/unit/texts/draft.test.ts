import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { draftBody, draftTitle } from '../../../src/texts/draft.ts';
import type { Verdict } from '../../../src/verification/types.ts';
import {
  admitted,
  changed,
  fileChange,
  policy,
  run,
  suite,
  testCase,
  verification,
  worked,
} from '../../fixtures/runs.ts';

const GOOD = `Draft for #42, asked by @alice. **Passing tests do not mean that this change is correct. Review it as you would a stranger's patch.**

**Verified as far as tests can**: the test that failed before passes now, in clean sandboxes that the agent never touched.

|  | base \`3f2c1ab\` | this change |
|---|---|---|
| passed | 2 | 3 |
| failed | 1 | 0 |
| skipped | 1 | 1 |

- **Fixed**: \`tests/test_total.py::test_first_row\`
- **Broken**: none

**Changed**: \`calc/total.py\` (+1 −1).

**Not tested**: 1 skipped test; anything that needs a network.

Only the issue's text as of 2026-09-01 14:02:11 UTC was read; what was written later was not.

<details><summary>How this was made</summary>

- Model \`FrogNano-4B-2609\` (a research model; English and Python are its validated languages), profile \`frognano 3\`, 31 turns of at most 150, 40 tool calls, 412,803 tokens, 12 min 40 s of at most 60 min, the agent ended by itself.
- Sandbox \`bubblewrap 0.8.0\`; isolation looked at from inside: 3 of 3 probes closed before the agent began, 3 of 3 after it ended. It does not limit: disk space of the work tree.
- Test command \`python -m pytest -q --junitxml="$TADPOLE_REPORT"\` from \`.github/tadpole.yml\` at \`3f2c1ab\`.
- Text of the issue with 0 comments: SHA-256 \`9b1d0c2e3f4a5b6c7d8e9f00112233445566778899aabbccddeeff0011223344\`, taken 2026-09-01 14:02:11 UTC.
- Base: \`main\` at \`3f2c1ab4d5e6f708192a3b4c5d6e7f8091a2b3c4\`. Run \`r_01J6Z8Q4M5N6P7R8S9T0V1W2X3\`.

The model's own account, not checked:

\`\`\`text
The loop started at index 1, so the first row was never added.
\`\`\`

</details>`;

const BAD = `Draft for #42, asked by @alice. **Passing tests do not mean that this change is correct. Review it as you would a stranger's patch.**

**Recorded model: no model was asked, its turns were played back from a recording.**

**Broken tests**: 1 test that did not fail before fails now, in clean sandboxes that the agent never touched.

|  | base \`3f2c1ab\` | this change |
|---|---|---|
| passed | 1 | 1 |
| failed | 1 | 2 |
| skipped | 0 | 0 |

- **Fixed**: none
- **Broken**: \`t.py::a\`
- **Still failing**: \`t.py::b\`
- **New**: \`t.py::n\` (passes)
- **Vanished** (did not run any more): \`t.py::v\`
- **Became skipped**: \`t.py::s\`

**Changed**: \`t.py\` (+1 −1), \`new.bin\` (new, binary), \`old.txt\` (deleted, +0 −1,200), \`run.sh\` (+0 −0, mode 100644 to 100755).

**Look at**:
- tests or their configuration were changed, and ran as the change left them: \`tests/conftest.py\`, \`package.json\`
- large file: \`new.bin\`

**Not tested**: anything that needs a network.

Only the issue's text as of 2026-09-01 14:02:11 UTC was read; what was written later was not.

<details><summary>What failing tests say</summary>

\`t.py::a\`

\`\`\`text
E  AssertionError
\`\`\`

\`t.py::b\`

\`\`\`text
old news
\`\`\`

</details>`;

describe('src/texts/draft.ts', () => {
  test('a verified change reads like this', () => assert.equal(draftBody(run()), GOOD));

  test('a change that broke tests says so first, whatever the model was', () => {
    const files = [
      fileChange('t.py'),
      fileChange('new.bin', { kind: 'added', oldMode: null, additions: null, deletions: null }),
      fileChange('old.txt', { kind: 'deleted', newMode: null, additions: 0, deletions: 1_200 }),
      fileChange('run.sh', { newMode: '100755', additions: 0, deletions: 0 }),
    ];
    const tests = [fileChange('tests/conftest.py'), fileChange('package.json')];
    const found = verification({
      verdict: 'regression',
      reason: '1 test that did not fail before fails now',
      base: suite([testCase('t.py::a', 'passed'), testCase('t.py::b', 'failed')]),
      patched: suite([
        testCase('t.py::b', 'failed', 'old news'),
        testCase('t.py::a', 'failed', 'E  AssertionError'),
        testCase('t.py::n', 'passed'),
      ]),
      comparison: {
        fixed: [],
        broken: ['t.py::a'],
        stillFailing: ['t.py::b'],
        stillPassing: [],
        new: [{ id: 't.py::n', status: 'passed' }],
        vanished: ['t.py::v'],
        nowSkipped: ['t.py::s'],
        stillSkipped: [],
      },
      notTested: ['anything that needs a network'],
    });
    const work = worked({
      change: changed([...files, ...tests], ['large file: "new.bin"']),
      verification: found,
    });
    const body = draftBody(run({ worked: { ...work, agent: { ...work.agent, recorded: true } } }));
    const shown = `, \`tests/conftest.py\` (+1 −1), \`package.json\` (+1 −1).`;
    assert.equal(body.split('\n\n<details><summary>How')[0]?.replace(shown, '.'), BAD);
    assert.match(body, /^- Recorded model `FrogNano-4B-2609`/m);
  });

  test('a run that was not measured shows how both sides ended and the end of their output', () => {
    const base = suite([], { state: 'timed_out', exitCode: null, outputTail: 'still waiting' });
    const patched = suite([], {
      state: 'runner_could_not_start',
      exitCode: 127,
      outputTail: 'sh: pytest: not found',
    });
    const found = verification({ verdict: 'not_measurable', reason: 'no', base, patched, comparison: null });
    const body = draftBody(run({ worked: worked({ verification: found }) }));
    assert.match(body, /\| the run \| timed out \| runner could not start \(exit code 127\) \|\n\n/);
    assert.match(body, /End of the output on base<\/summary>\n\n```text\nstill waiting\n```/);
    assert.match(
      body,
      /End of the output with this change<\/summary>\n\n```text\nsh: pytest: not found\n```/,
    );
    assert.doesNotMatch(body, /\| passed/);
  });

  test('a repository without a test command gets a draft that says that nothing was measured', () => {
    const found = verification({
      verdict: 'no_tests',
      reason: 'the policy has no test command',
      command: null,
      base: null,
      patched: null,
      comparison: null,
    });
    const facts = admitted({ policy: policy({ test: null }) });
    const body = draftBody(run({ admitted: facts, worked: worked({ verification: found }) }));
    assert.match(body, /^\*\*Not measured\*\*: the policy has no test command\.$/m);
    assert.match(body, /^- No test command, says `\.github\/tadpole\.yml` at `3f2c1ab`\.$/m);
  });

  test('long lists are capped and say how many more there are', () => {
    const ids = Array.from({ length: 1_500 }, (_, i) => `t.py::test_${i}`);
    const comparison = { ...verification().comparison!, broken: ids };
    const files = ids.map((id) => fileChange(`${id}.txt`));
    const work = worked({ verification: verification({ comparison }), change: changed(files) });
    const body = draftBody(run({ worked: work }));
    assert.match(body, /`t\.py::test_11` and 1,488 more\n/);
    assert.match(body, /\(\+1 −1\) and 1,460 more\./);
  });

  test('the server policy and an image are named', () => {
    const facts = admitted({
      policy: policy({ image: 'registry.corp/python@sha256:abc', setup: 'pip install -e .' }),
      policySource: { path: 'the default', commit: null },
    });
    const body = draftBody(run({ admitted: facts }));
    assert.match(body, /image `registry\.corp\/python@sha256:abc`;/);
    assert.match(
      body,
      /- Setup command `pip install -e \.`\. Test command `.*` from the server's default policy\./,
    );
  });

  test('is the same for the same stored run', () => {
    assert.equal(draftBody(structuredClone(run())), draftBody(run()));
  });

  test('a run without a verified change has no draft', () => {
    const nothing = worked({ change: { kind: 'none', ignored: 0 }, verification: null });
    assert.throws(() => draftBody(run({ worked: nothing })), { code: 'internal' });
  });

  describe('title', () => {
    const TITLES: Readonly<Record<Verdict, string>> = {
      verified: 'Count the first row when totalling (#42)',
      unproven: '[unproven] Count the first row when totalling (#42)',
      regression: '[broken tests] Count the first row when totalling (#42)',
      not_measurable: '[not measured] Count the first row when totalling (#42)',
      no_tests: '[not measured] Count the first row when totalling (#42)',
    };
    for (const [verdict, title] of Object.entries(TITLES) as [Verdict, string][]) {
      test(`says so when a change is ${verdict}`, () => {
        assert.equal(draftTitle(run({ worked: worked({ verification: verification({ verdict }) }) })), title);
      });
    }

    test('an empty title is replaced', () => {
      const { trigger } = run();
      assert.equal(
        draftTitle(run({ trigger: { ...trigger, title: '\u200b' } })),
        'Change for an issue (#42)',
      );
    });
  });
});
