import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatDuration, oneLine, printableValue } from '../../../src/commands/format.ts';
import { formatTable } from '../../../src/commands/table.ts';

describe('src/commands/format.ts', () => {
  for (const [ms, text] of [
    [0.4, '0 ms'],
    [999, '999 ms'],
    [1_210, '1.2 s'],
    [59_000, '59.0 s'],
    [760_000, '12 min 40 s'],
  ] as const) {
    test(`${ms} ms reads ${text}`, () => assert.equal(formatDuration(ms), text));
  }

  test('text for a line has no line breaks, acts on nothing, and is cut between characters', () => {
    assert.equal(oneLine('a\r\nb\u001b]0;title\u0007 \u001b[31mc\u202e', 80), 'a b c');
    assert.equal(oneLine('😀😀😀', 2), '😀…');
  });

  test('strings in values are made printable, keys as well, the rest stays', () => {
    const value = { 'a\u001b[1m': ['b\u0000', 1, null, true, { c: '\u202ed' }] };
    assert.deepEqual(printableValue(value), { a: ['b', 1, null, true, { c: 'd' }] });
  });
});

describe('src/commands/table.ts', () => {
  test('columns are as wide as their widest cell, and lines have no blanks at their ends', () => {
    assert.equal(
      formatTable([
        ['a', 'bbb', 'c'],
        ['aa', 'b', ''],
      ]),
      'a   bbb  c\naa  b\n',
    );
  });
});
