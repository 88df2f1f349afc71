import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { byteLength, clip, clipLine, takeHead, takeTail } from '../../src/clip.ts';

const FAMILY = '👩‍👩‍👧‍👦';
const FLAG = '🇫🇷';

describe('src/clip.ts', () => {
  const TEXTS = [
    'abc',
    'äöü',
    '日本語',
    '😀😀😀',
    FAMILY.repeat(3),
    FLAG.repeat(3),
    'e\u0301e\u0301',
    '\ud83dx',
    'a\r\nb',
  ];

  test('head and tail never exceed their bytes and never split a grapheme', () => {
    const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
    for (const text of TEXTS) {
      const whole = text.toWellFormed();
      const starts = new Set([...graphemes.segment(whole)].map(({ index }) => index).concat(whole.length));
      for (let bytes = 0; bytes <= byteLength(whole) + 2; bytes += 1) {
        const head = takeHead(whole, bytes);
        const tail = takeTail(whole, bytes);
        assert.ok(byteLength(head) <= bytes && byteLength(tail) <= bytes, `${text} at ${bytes}`);
        assert.ok(whole.startsWith(head) && starts.has(head.length), `head of ${text} at ${bytes}`);
        assert.ok(
          whole.endsWith(tail) && starts.has(whole.length - tail.length),
          `tail of ${text} at ${bytes}`,
        );
      }
    }
  });

  test('head and tail take as much as fits', () => {
    assert.equal(takeHead('日本語', 8), '日本');
    assert.equal(takeTail('日本語', 8), '本語');
    assert.equal(takeHead(`${FAMILY}${FAMILY}`, 49), FAMILY);
    assert.equal(takeTail(`${FAMILY}${FAMILY}`, 49), FAMILY);
  });

  test('a text that fits is left alone', () => {
    assert.equal(clip('日本', 6), '日本');
    assert.equal(clipLine('日本', 6), '日本');
  });

  test('a line that is too long ends in an ellipsis within its bytes', () => {
    assert.equal(clipLine('abcdefgh', 6), 'abc…');
    assert.equal(byteLength(clipLine('😀'.repeat(100), 64)) <= 64, true);
  });

  test('a clipped text has its head, its tail and the number of bytes between them', () => {
    const text = `${'a'.repeat(500)}${'b'.repeat(500)}`;
    const clipped = clip(text, 364);
    assert.equal(clipped, `${'a'.repeat(100)}\n[… 700 bytes left out …]\n${'b'.repeat(200)}`);
    assert.ok(byteLength(clipped) <= 364);
  });
});
