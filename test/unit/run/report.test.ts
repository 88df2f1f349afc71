import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type FaultCode, fault } from '../../../src/errors.ts';
import { report, reportProgress } from '../../../src/run/report.ts';
import type { Run } from '../../../src/store/types.ts';
import { checkRun } from '../../../src/texts/check.ts';
import { endedText } from '../../../src/texts/status.ts';
import { createIssueBoard } from '../../fakes/issue-board.ts';
import { gatherLog } from '../../fakes/log-lines.ts';
import { run } from '../../fixtures/runs.ts';

const MARKER = 'run=r_01J6Z8Q4M5N6P7R8S9T0V1W2X3';

/** A board with the label on, and a lease that is lost after so many fences. */
function open({ fences = Number.POSITIVE_INFINITY } = {}) {
  const board = createIssueBoard(['tadpole', 'bug']);
  const { log, lines } = gatherLog();
  const diary: (readonly [string, string | null])[] = [];
  const stop = new AbortController();
  let left = fences;
  const held = {
    log,
    async fence() {
      left -= 1;
      if (left < 0) throw fault('lease_lost', { detail: 'another has it' });
    },
    async recordEffect(name: string, value: string | null) {
      diary.push([name, value]);
    },
  };
  const tell = (told: Run) => report(board, { held, run: told }, { signal: stop.signal });
  return { board, lines, diary, stop, tell };
}

const broken = (code: FaultCode) => fault(code, { detail: 'no answer' });

describe('src/run/report.ts', () => {
  test('comment, check and label are brought to their end, each behind the fence and in the diary', async () => {
    const { board, diary, tell } = open();
    assert.deepEqual(await tell(run()), []);
    assert.deepEqual([...board.comments], [[MARKER, endedText(run())]]);
    assert.deepEqual(board.checks, [checkRun(run())]);
    assert.deepEqual([...board.labels], ['bug']);
    assert.deepEqual(diary, [
      ['status_comment', null],
      ['status_comment', `https://git.corp/octo/pond/issues/42#comment-${MARKER}`],
      ['check', null],
      ['check', 'success'],
      ['label', null],
      ['label', 'removed'],
    ]);
  });

  test('telling twice leaves one of each', async () => {
    const { board, tell } = open();
    await tell(run());
    await tell(run());
    assert.equal(board.comments.size, 1);
    assert.equal(board.checks.length, 1);
  });

  test('a failing write is logged, named when another try may help, and keeps no other from being made', async () => {
    const { board, lines, tell } = open();
    board.break('status_comment', broken('forge_unavailable'));
    board.break('check', broken('forge_forbidden'));
    assert.deepEqual(await tell(run()), ['status_comment']);
    assert.deepEqual([...board.labels], ['bug']);
    assert.deepEqual(
      lines.map(({ level, msg, effect }) => [level, msg, effect]),
      [
        ['warn', 'report incomplete', 'status_comment'],
        ['warn', 'report incomplete', 'check'],
      ],
    );
  });

  test('a lost lease stops it at once', async () => {
    const { board, tell } = open({ fences: 1 });
    await assert.rejects(tell(run()), { code: 'lease_lost' });
    assert.equal(board.comments.size, 1);
    assert.equal(board.checks.length, 0);
    assert.ok(board.labels.has('tadpole'));
  });

  test('a shutdown stops it before the next write', async () => {
    const { board, stop, tell } = open();
    stop.abort(new Error('shutdown'));
    await assert.rejects(tell(run()), { message: 'shutdown' });
    assert.equal(board.comments.size, 0);
  });

  test('progress goes into the same comment', async () => {
    const { board, stop, tell } = open();
    const now = new Date('2026-09-01T14:02:20Z');
    await reportProgress(board, { run: run(), progress: null, now }, { signal: stop.signal });
    assert.match(board.comments.get(MARKER) ?? '', /^\*\*Tadpole: queued\.\*\*/);
    await tell(run());
    assert.equal(board.comments.size, 1);
    assert.match(board.comments.get(MARKER) ?? '', /^\*\*Tadpole opened a draft: #318\.\*\*/);
  });

  describe('what is left alone', () => {
    const CASES: readonly (readonly [string, Partial<Run>, boolean, boolean])[] = [
      ['no change: told, label off', { outcome: 'no_changes' }, true, true],
      ['a fault: told, label off', { outcome: 'faulted' }, true, true],
      [
        'too little permission: told, label off',
        { outcome: 'refused', outcomeDetails: { code: 'permission_too_low' } },
        true,
        true,
      ],
      [
        'a broken policy: told, label off',
        { outcome: 'refused', outcomeDetails: { code: 'policy_invalid' } },
        true,
        true,
      ],
      [
        'a run at work already: its label stays',
        { outcome: 'refused', outcomeDetails: { code: 'already_running' } },
        true,
        false,
      ],
      [
        "a label that is not the policy's stays",
        { outcome: 'refused', outcomeDetails: { code: 'label_not_ours' } },
        true,
        false,
      ],
      [
        'a bot is not answered',
        { outcome: 'refused', outcomeDetails: { code: 'sender_is_bot' } },
        false,
        false,
      ],
      [
        'an archived repository takes nothing',
        { outcome: 'refused', outcomeDetails: { code: 'repository_archived' } },
        false,
        false,
      ],
      [
        'a label that was taken off may be on again for the next run',
        { outcome: 'cancelled', outcomeDetails: { reason: 'label_removed' } },
        true,
        false,
      ],
      [
        'a closed issue: told, label off',
        { outcome: 'cancelled', outcomeDetails: {}, cancelRequested: 'issue_closed' },
        true,
        true,
      ],
      [
        'a deleted issue has nowhere to tell',
        { outcome: 'cancelled', cancelRequested: 'issue_deleted' },
        false,
        false,
      ],
      [
        'a label gone before the push: told',
        { outcome: 'publish_refused', outcomeDetails: { code: 'label_gone' } },
        true,
        false,
      ],
    ];
    for (const [name, changes, isTold, isOff] of CASES) {
      test(name, async () => {
        const { board, tell } = open();
        await tell(run({ worked: null, published: null, ...changes }));
        assert.equal(board.comments.size === 1, isTold);
        assert.equal(!board.labels.has('tadpole'), isOff);
        assert.deepEqual(board.checks, []);
      });
    }
  });
});
