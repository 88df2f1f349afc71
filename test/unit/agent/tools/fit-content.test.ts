import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fitContent } from '../../../../src/agent/tools/fit-content.ts';
import { findTagFragment, warnAboutShrink } from '../../../../src/agent/tools/suspicions.ts';

const fit = (content: string, old: string | null = null, neighbour: string | null = null) =>
  fitContent(content, {
    old: old === null ? null : Buffer.from(old),
    neighbour: neighbour === null ? null : Buffer.from(neighbour),
  }).toString();

describe('src/agent/tools/fit-content.ts', () => {
  it('ends a file with a newline, unless the old one did not (D04)', () => {
    assert.deepEqual([fit('a'), fit('a\n'), fit('a\n\n'), fit('')], ['a\n', 'a\n', 'a\n\n', '']);
    assert.deepEqual(
      [fit('a', 'b\n'), fit('a', 'b'), fit('a\n', 'b'), fit('a', '')],
      ['a\n', 'a', 'a\n', 'a\n'],
    );
  });

  it('keeps the line breaks of the file, or takes those of its neighbour (E05)', () => {
    assert.equal(fit('a\nb', 'x\r\ny\r\n'), 'a\r\nb\r\n');
    assert.equal(fit('a\nb', null, 'x\r\n'), 'a\r\nb\r\n');
    assert.equal(fit('a\nb', 'x\n', 'y\r\n'), 'a\nb\n');
    assert.equal(fit('a\nb', 'x\r\ny\nz\n'), 'a\nb\n');
    assert.equal(fit('a\r\nb\r\n', 'x\r\n'), 'a\r\nb\r\n');
  });

  it('keeps a byte order mark (E06)', () => {
    assert.deepEqual(
      [fit('a\n', '\ufeffb\n'), fit('\ufeffa\n', '\ufeffb\n'), fit('a\n', null, '\ufeffb\n')],
      ['\ufeffa\n', '\ufeffa\n', 'a\n'],
    );
  });
});

describe('src/agent/tools/suspicions.ts', () => {
  it('knows pieces of closing tags at the end of an argument (D05)', () => {
    const ends = ['</parameter>', 'x</param', 'x\n</function>\n', 'x</tool_call', '</f'];
    for (const text of ends) assert.notEqual(findTagFragment(text), null, text);
    for (const text of ['</p>', '</form>', '</parameter> and more', 'a < b', '', '</', '</toolbar'])
      assert.equal(findTagFragment(text), null, text);
  });

  it('warns of a file that lost half of its lines (D05)', () => {
    assert.match(warnAboutShrink(400, 180), /had 400 lines and now has 180/);
    assert.deepEqual([warnAboutShrink(400, 220), warnAboutShrink(40, 1)], ['', '']);
  });
});
