import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { watchTry } from '../../../../src/commands/try/watch-run.ts';
import type { TryOptions } from '../../../../src/commands/types.ts';
import type { Run } from '../../../../src/store/types.ts';
import { createDiary, type Told, WHOLE_RUN } from '../run-diary.ts';
import { createTerminal } from '../terminal.ts';

const DRAFT = 'http://127.0.0.1:8787/acme/sample/pulls/2';
const OPENED: Partial<Run> = {
  outcome: 'pr_opened',
  published: { branch: 'b', commit: 'c', draft: { number: 2, webUrl: DRAFT } },
};
const ONCE: TryOptions = { once: true, json: false, own: null, port: 0 };
const OWN = { path: '.', issueFile: 'i.md', testCommand: null };

interface Given {
  readonly told?: readonly Told[];
  readonly ended?: Partial<Run>;
  readonly recorded?: boolean;
}

/** A session that tells these events, and how often it was closed. */
function createSession({ told = WHOLE_RUN, ended = OPENED, recorded = true }: Given) {
  let closes = 0;
  const session = {
    title: { version: '0.1', sandbox: 'bubblewrap', model: recorded ? 'recorded model' : 'frog' },
    recorded,
    runId: 'r_01',
    store: createDiary(told, ended),
    close: async () => {
      closes += 1;
    },
  };
  return { session, closed: () => closes };
}

/** The command on such a session, and all that came of it. */
async function watch(options: TryOptions, given: Given = {}) {
  const { session, closed } = createSession(given);
  const terminal = createTerminal();
  const parts = { hasModelEndpoint: !session.recorded, begin: async () => session };
  const signal = new AbortController().signal;
  const exitCode = await watchTry(options, parts, { terminal, screen: null, signal });
  return { exitCode, closed: closed(), ...terminal.kept };
}

describe('src/commands/try/watch-run.ts', () => {
  test('shows each stage in one plain line, then where to look, and that the model was a recording', async () => {
    const { exitCode, out, closed } = await watch(ONCE);
    assert.equal(exitCode, 0);
    assert.equal(closed, 1);
    assert.equal(
      out,
      `Tadpole 0.1, a try on this machine: local forge, bubblewrap, recorded model
  webhook       issue #1 labelled by alice                            12 ms
  admission     admitted: write access, policy ok                      3 ms
  prepare       base 3f2c1ab, 18 files                                41 ms
  sandbox       isolated, 11 of 11 probes closed                     180 ms
  agent         9 turns, ended by itself                              1.2 s
  change        1 file, +1 −1                                         22 ms
  verification  1 fixed, 0 broken, 5 unchanged                        2.1 s
  publish       draft #2                                              90 ms
Look at it: ${DRAFT}
The model was a recording. Yours: MODEL_BASE_URL=… npm run try -- --repo PATH --issue FILE
`,
    );
  });

  test('as JSON every line is an object, and the last one names outcome and draft', async () => {
    const { out } = await watch({ ...ONCE, json: true });
    const lines = out.trimEnd().split('\n');
    assert.equal(lines.at(-1), `{"outcome":"pr_opened","draft":"${DRAFT}"}`);
    assert.deepEqual(
      lines.slice(0, -1).map((line) => JSON.parse(line).seq),
      WHOLE_RUN.map((_, at) => at + 1),
    );
  });

  test('a run without a draft is told with its reason, and the exit code is 1', async () => {
    const told: readonly Told[] = [['admission', 'refused', { refusal: 'policy_missing' }]];
    const ended: Partial<Run> = { outcome: 'refused', outcomeDetails: { refusal: 'policy_missing' } };
    const { exitCode, out } = await watch(ONCE, { told, ended });
    assert.equal(exitCode, 1);
    assert.match(out, /^ {2}admission {5}refused: refusal policy_missing$/m);
    assert.match(out, /^No draft: refused \(refusal policy_missing\)$/m);
  });

  test('a model of one’s own is not called a recording', async () => {
    assert.doesNotMatch((await watch(ONCE, { recorded: false })).out, /record/);
  });

  test('text of strangers cannot act on the terminal', async () => {
    const told: readonly Told[] = [
      ['webhook', 'finished', { issue: 1, sender: 'eve\u001b[2J\n\rroot\u202e' }],
    ];
    for (const json of [false, true]) {
      const { out } = await watch({ ...ONCE, json }, { told });
      assert.doesNotMatch(out, /\u001b|\r|\u202e/);
    }
  });

  test('without --once the draft stays up until Ctrl-C, and then all is closed', async () => {
    const controller = new AbortController();
    const { session, closed } = createSession({});
    const terminal = createTerminal();
    let ended = false;
    const shown = Promise.withResolvers<void>();
    const out = (text: string) => {
      terminal.out(text);
      if (text.includes('(Ctrl-C ends)')) shown.resolve();
    };
    const parts = { hasModelEndpoint: false, begin: async () => session };
    const place = { terminal: { ...terminal, out }, screen: null, signal: controller.signal };
    const watching = watchTry({ ...ONCE, once: false }, parts, place).finally(() => {
      ended = true;
    });
    await shown.promise;
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([ended, closed()], [false, 0]);
    controller.abort();
    assert.equal(await watching, 0);
    assert.equal(closed(), 1);
  });

  test('Ctrl-C while the run is under way closes everything', async () => {
    const controller = new AbortController();
    controller.abort();
    const { session, closed } = createSession({});
    const parts = { hasModelEndpoint: false, begin: async () => session };
    const place = { terminal: createTerminal(), screen: null, signal: controller.signal };
    await assert.rejects(watchTry(ONCE, parts, place), { name: 'AbortError' });
    assert.equal(closed(), 1);
  });

  test('one’s own repository needs a model: a recording is refused before anything is started', async () => {
    const terminal = createTerminal();
    const parts = { hasModelEndpoint: false, begin: () => assert.fail('was started') };
    const place = { terminal, screen: null, signal: new AbortController().signal };
    assert.equal(await watchTry({ ...ONCE, own: OWN }, parts, place), 2);
    assert.match(terminal.kept.err, /^A recorded model can't fix other people's code/);
    assert.match(terminal.kept.err, /MODEL_BASE_URL/);
  });

  test('one’s own repository with a model is tried', async () => {
    assert.equal((await watch({ ...ONCE, own: OWN }, { recorded: false })).exitCode, 0);
  });
});
