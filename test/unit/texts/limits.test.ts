import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { byteLength } from '../../../src/clip.ts';
import { type Block, fitBlocks } from '../../../src/texts/limits.ts';

const block = (text: string, rank: Block['rank']): Block => ({ text, rank });

describe('src/texts/limits.ts', () => {
  test('joins what fits, without empty blocks', () => {
    assert.equal(fitBlocks([block('a', 'must'), block('', 'must'), block('b', 'may')], 100), 'a\n\nb');
  });

  test('leaves the last dispensable block out first, whole, and says so', () => {
    const blocks = [
      block('first', 'must'),
      block('x'.repeat(100), 'may'),
      block('y'.repeat(100), 'may'),
      block('end', 'must'),
    ];
    const text = fitBlocks(blocks, 210);
    assert.equal(
      text,
      `first\n\n${'x'.repeat(100)}\n\nend\n\nParts of this text were left out because it would have been too long for the forge.`,
    );
    assert.ok(byteLength(text) <= 210);
  });
});
