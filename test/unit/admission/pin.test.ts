import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { pinText } from '../../../src/admission/pin.ts';
import type { Actor, Comment } from '../../../src/forge/types.ts';

const alice: Actor = { id: 1, login: 'alice', kind: 'user' };
const bot: Actor = { id: 9, login: 'helper[bot]', kind: 'bot' };
const LABELLED = '2026-11-01T12:00:00Z';
const BEFORE = '2026-11-01T11:59:59Z';
const AFTER = '2026-11-01T12:00:01Z';
const trigger = { title: 'Total is wrong', body: 'The first row is missing.', labelledAt: LABELLED };

function comment(body: string, changes: Partial<Comment> = {}): Comment {
  return { id: 1, author: alice, body, createdAt: BEFORE, updatedAt: BEFORE, ...changes };
}
const pin = (comments: readonly Comment[], changes: Partial<typeof trigger> = {}) =>
  pinText({ ...trigger, ...changes }, { comments, commentsOmitted: 0 });
const kept = (comments: readonly Comment[]) => pin(comments).comments.map(({ body }) => body);

describe('src/admission/pin.ts', () => {
  test('makes one text with its hash and moment', () => {
    const pinned = pin([comment('Seen on main.')]);
    assert.equal(
      pinned.text,
      `# Total is wrong\n\nThe first row is missing.\n\n## Comment by alice, ${BEFORE}\n\nSeen on main.\n`,
    );
    assert.equal(pinned.sha256, createHash('sha256').update(pinned.text).digest('hex'));
    assert.equal(pinned.takenAt, LABELLED);
    assert.deepEqual(pinned, pin([comment('Seen on main.')]));
  });

  // The race between whoever sets the label and whoever edits: five points at which text can change.
  const race: readonly (readonly [string, Comment, boolean])[] = [
    ['a comment before the label', comment('x'), true],
    ['one edited before the label', comment('x', { createdAt: '2026-10-01T00:00:00Z' }), true],
    [
      'one in the very second of the label',
      comment('x', { createdAt: LABELLED, updatedAt: LABELLED }),
      false,
    ],
    ['one edited in the very second of the label', comment('x', { updatedAt: LABELLED }), false],
    ['one after the label', comment('x', { createdAt: AFTER, updatedAt: AFTER }), false],
    ['one edited after the label', comment('x', { updatedAt: AFTER }), false],
    [
      'one edited after the label, with an older clock at its beginning',
      comment('x', { createdAt: '2020-01-01T00:00:00Z', updatedAt: AFTER }),
      false,
    ],
    ['one by a bot', comment('x', { author: bot }), false],
    ['one whose time can not be read', comment('x', { createdAt: 'yesterday' }), false],
    ['one whose edit has no time', comment('x', { updatedAt: '' }), false],
    [
      'one with another zone, before the label',
      comment('x', { createdAt: '2026-11-01T13:30:00+02:00', updatedAt: '2026-11-01T13:30:00+02:00' }),
      true,
    ],
    [
      'one with another zone, after the label',
      comment('x', { createdAt: '2026-11-01T11:30:00-02:00', updatedAt: '2026-11-01T11:30:00-02:00' }),
      false,
    ],
  ];
  for (const [what, each, isKept] of race)
    test(`${isKept ? 'keeps' : 'drops'} ${what} (T19)`, () => {
      assert.deepEqual(kept([each]), isKept ? ['x'] : []);
      assert.equal(pin([each]).omitted, isKept ? 0 : 1);
    });

  test('takes title and body from the signed payload, whatever the issue says now (T19)', () => {
    const { text } = pinText(trigger, {
      comments: [],
      commentsOmitted: 0,
      ...{ title: 'edited', body: 'edited' },
    });
    assert.doesNotMatch(text, /edited/);
  });

  test('drops everything when the moment of the label can not be read', () => {
    assert.deepEqual(pin([comment('x')], { labelledAt: 'soon' }).comments, []);
  });

  test('keeps the newest comments and counts the others', () => {
    const many = Array.from({ length: 30 }, (_, n) => comment(`c${n}`));
    const pinned = pinText(trigger, { comments: many, commentsOmitted: 100 });
    assert.deepEqual([pinned.comments.length, pinned.comments[0]?.body, pinned.omitted], [20, 'c10', 110]);
  });

  test('cuts each field at its own cap and says so in the text (T44)', () => {
    const long = '\u{1f438}'.repeat(50_000);
    const pinned = pin([comment(long), comment('last words')], { title: long, body: long });
    assert.match(pinned.body, /\[cut: 152000 bytes more\]$/);
    assert.match(pinned.comments[0]?.body ?? '', /\[cut: \d+ bytes more\]$/);
    assert.match(pinned.title, /\[cut: \d+ bytes more\]$/);
    assert.equal(pinned.comments[1]?.body, 'last words');
    assert.ok(Buffer.byteLength(pinned.text) < 80_000);
    assert.equal(pinned.text, pinned.text.toWellFormed());
  });

  test('counts what no reader sees, and leaves it out (T39)', () => {
    const pinned = pin([comment('b<!-- two -->')], { title: 'a\u200b', body: 'see <!-- one --> here' });
    assert.equal(pinned.hidden, 1 + '<!-- one -->'.length + '<!-- two -->'.length);
    assert.doesNotMatch(pinned.text, /one|two|\u200b/);
  });

  test('keeps a title on one line', () => {
    assert.equal(pin([], { title: ' a\nb\t c ' }).title, 'a b c');
  });
});
