import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { printable, printableBytes } from '../../src/printable.ts';

describe('src/printable.ts', () => {
  const CASES: readonly (readonly [string, string, string])[] = [
    ['a colour', 'a\u001b[1;31mred\u001b[0mb', 'aredb'],
    ['an 8-bit CSI', 'a\u009b31mb', 'ab'],
    ['a title (OSC, BEL)', 'a\u001b]0;title\u0007b', 'ab'],
    ['a link (OSC 8, ST)', '\u001b]8;;http://e.example\u001b\\text\u001b]8;;\u001b\\', 'text'],
    ['a device control string', 'a\u001bPq#0;2\u001b\\b', 'ab'],
    ['an unclosed OSC, to the end of its line only', 'a\u001b]0;rest\nnext', 'a\nnext'],
    ['a cut CSI', 'a\u001b[', 'a'],
    ['a lone escape', 'a\u001b', 'a'],
    ['an overwriting carriage return', 'FAILED\rPASSED', 'FAILED\nPASSED'],
    ['Windows line ends', 'a\r\nb', 'a\nb'],
    ['backspaces', 'abc\b\b\bxyz', 'abcxyz'],
    ['NUL and bell', 'a\0b\u0007c', 'abc'],
    ['bidi controls', 'a\u202eb\u2066c\u061cd', 'abcd'],
    ['zero-width characters', 'a\u200bb\u200cc\u200dd\ufeffe\u2060f', 'abcdef'],
    ['tag characters', 'a\u{e0041}\u{e007f}b', 'ab'],
    ['variation selectors as a carrier', 'a\ufe01\ufe0fb\u{e0100}', 'ab'],
    ['line separators', 'a\u2028b\u2029c\u0085d', 'a\nb\nc\nd'],
    ['stacked marks', `Z${'\u0301'.repeat(50)}`, `Z${'\u0301'.repeat(4)}`],
    ['a lone surrogate', 'a\ud83db', 'a\ufffdb'],
    ['tabs and line feeds, which stay', 'a\tb\nc', 'a\tb\nc'],
    ['emoji, which stay whole', '👩‍👩‍👧 ❤️ 👍🏽 1️⃣', '👩‍👩‍👧 ❤️ 👍🏽 1️⃣'],
    ['other scripts, which stay', 'ü é 日本語 हिन्दी العربية', 'ü é 日本語 हिन्दी العربية'],
  ];
  for (const [name, text, expected] of CASES) {
    test(`handles ${name}`, () => assert.equal(printable(text), expected));
  }

  test('shows broken UTF-8 as what it is', () => {
    assert.equal(printableBytes(Buffer.from([0x61, 0xff, 0x62])), 'a\ufffdb');
  });

  test('takes linear time on a text made of beginnings of sequences', () => {
    const begin = performance.now();
    printable('\u001b]'.repeat(1_000_000));
    printable('\u001b['.repeat(1_000_000));
    printable('\u0301'.repeat(2_000_000));
    assert.ok(performance.now() - begin < 10_000);
  });
});
