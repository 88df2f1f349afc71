import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createOutputKeeper } from '../../../../../src/sandbox/bubblewrap/call/keep-output.ts';

function keep(sizes: { headBytes: number; tailBytes: number }, pieces: readonly string[]) {
  const keeper = createOutputKeeper(sizes);
  for (const piece of pieces) keeper.add(Buffer.from(piece));
  const { head, tail, omittedBytes } = keeper.kept();
  return [Buffer.from(head).toString(), Buffer.from(tail).toString(), omittedBytes];
}

describe('src/sandbox/bubblewrap/call/keep-output.ts', () => {
  it('keeps all of a short stream, in head and tail together', () => {
    assert.deepEqual(keep({ headBytes: 4, tailBytes: 4 }, ['abc', 'def']), ['abcd', 'ef', 0]);
    assert.deepEqual(keep({ headBytes: 4, tailBytes: 4 }, []), ['', '', 0]);
    assert.deepEqual(keep({ headBytes: 4, tailBytes: 4 }, ['abcdefgh']), ['abcd', 'efgh', 0]);
  });

  it('counts what lies between', () => {
    assert.deepEqual(keep({ headBytes: 2, tailBytes: 3 }, ['abcdefghi']), ['ab', 'ghi', 4]);
    assert.deepEqual(keep({ headBytes: 0, tailBytes: 0 }, ['abc']), ['', '', 3]);
    assert.deepEqual(keep({ headBytes: 0, tailBytes: 2 }, ['abc', 'd']), ['', 'cd', 2]);
    assert.deepEqual(keep({ headBytes: 2, tailBytes: 0 }, ['abc', 'd']), ['ab', '', 2]);
  });

  it('gives the same however the stream is cut', () => {
    const text = Array.from({ length: 200 }, (_, index) => String.fromCharCode(97 + (index % 26))).join('');
    for (let size = 1; size < 40; size += 1) {
      const pieces = text.match(new RegExp(`.{1,${size}}`, 'g')) ?? [];
      assert.deepEqual(keep({ headBytes: 11, tailBytes: 17 }, pieces), [
        text.slice(0, 11),
        text.slice(-17),
        172,
      ]);
    }
  });

  it('holds no view of the buffers that it was given', () => {
    const keeper = createOutputKeeper({ headBytes: 2, tailBytes: 2 });
    const piece = Buffer.from('abcd');
    keeper.add(piece);
    piece.fill('x');
    assert.equal(Buffer.from(keeper.kept().head).toString(), 'ab');
    assert.equal(Buffer.from(keeper.kept().tail).toString(), 'cd');
  });
});
