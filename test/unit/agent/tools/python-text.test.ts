import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLineNumberer } from '../../../../src/agent/tools/files/number-lines.ts';
import { cutChars, repr, takeLastChars } from '../../../../src/agent/tools/python-text.ts';
import { python, randomText, seeded } from '../../../fakes/python.ts';

const PIECES = [
  '\r',
  '\n',
  '\r\n',
  '\v',
  '\f',
  '\x1c',
  '\x1d',
  '\x1e',
  '\x1f',
  '\x85',
  '\u2028',
  '\u2029',
  'a',
  'ü',
  '😀',
  ' ',
  '\0',
];
const random = seeded(7);
const texts = Array.from({ length: 400 }, () => randomText(random, PIECES, 12));

function numberWhole(
  text: string,
  range = { offset: 1, limit: 0, maxChars: 1_000_000 },
  step = text.length || 1,
): string {
  const lines = createLineNumberer('P', range);
  // Whole characters, as a decoder gives them.
  const chars = Array.from(text);
  for (let at = 0; at < chars.length; at += step) lines.add(chars.slice(at, at + step).join(''));
  return lines.end();
}

describe('src/agent/tools/files/number-lines.ts', () => {
  it('breaks lines where Python does, however the text arrives', () => {
    const code =
      'result = ["\\n".join(["P"] + [f"{i}. {l}" for i, l in enumerate(t.splitlines(), 1)]) for t in data]';
    const expected = python(code, texts);
    for (const step of [1, 2, 3, 1000])
      assert.deepEqual(
        texts.map((text) => numberWhole(text, undefined, step)),
        expected,
      );
  });

  it('shows the lines asked for', () => {
    const show = (offset: number, limit: number) =>
      numberWhole('a\nb\nc\nd', { offset, limit, maxChars: 1000 });
    assert.deepEqual(
      [show(2, 2), show(3, 0), show(4, 9), show(9, 1)],
      ['P\n2. b\n3. c', 'P\n3. c\n4. d', 'P\n4. d', 'P'],
    );
  });

  it('cuts by characters, as Python counts them, and says how many are missing', () => {
    const code =
      'result = [(lambda s: s if len(s) <= 9 else s[:9] + f"\\n[truncated {len(s) - 9} chars]")("\\n".join(["P"] + [f"{i}. {l}" for i, l in enumerate(t.splitlines(), 1)])) for t in data]';
    const cut = texts.map((text) => numberWhole(text, { offset: 1, limit: 0, maxChars: 9 }, 4));
    assert.deepEqual(cut, python(code, texts));
  });
});

describe('src/agent/tools/python-text.ts', () => {
  it('quotes like repr', () => {
    const strings = [
      ...texts,
      "it's",
      'a "b"',
      `both ' and "`,
      '\\',
      '\t',
      '\x7f',
      '\u00a0',
      '\u200b',
      '\ufeff',
      '\u{e0001}',
      'é',
    ];
    assert.deepEqual(strings.map(repr), python('result = [repr(t) for t in data]', strings));
  });

  it('cuts and counts whole characters', () => {
    const code =
      'result = [t if len(t) <= 5 else t[:5] + f"\\n[truncated {len(t) - 5} chars]" for t in data]';
    assert.deepEqual(
      texts.map((text) => cutChars(text, 5)),
      python(code, texts),
    );
    assert.deepEqual(
      texts.map((text) => takeLastChars(text, 5)),
      python('result = [t[-5:] for t in data]', texts),
    );
  });
});
