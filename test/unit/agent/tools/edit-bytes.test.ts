import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type EditRequest, editBytes } from '../../../../src/agent/tools/edit/edit-bytes.ts';
import { findMatches } from '../../../../src/agent/tools/edit/find-matches.ts';
import { python, randomText, seeded } from '../../../fakes/python.ts';

function edit(file: string | Buffer, oldText: string, newText: string, scope: EditRequest['scope'] = 'one') {
  const edited = editBytes(Buffer.from(file as string), { oldText, newText, scope });
  return edited.kind === 'edited' ? edited.bytes : edited.reason;
}
const editText = (...args: Parameters<typeof edit>) => edit(...args).toString();

describe('src/agent/tools/edit/find-matches.ts', () => {
  it('counts as str.count does over text with equal line breaks', () => {
    const random = seeded(5);
    const pairs = Array.from({ length: 3000 }, () => [
      randomText(random, ['a', 'b', '\n', '\r\n', '\r'], 12),
      randomText(random, ['a', 'b', '\n'], 3) || 'a',
    ]);
    const code = 'result = [f.replace("\\r\\n", "\\n").replace("\\r", "\\n").count(o) for f, o in data]';
    const counts = pairs.map(
      ([file = '', old = '']) => findMatches(Buffer.from(file), Buffer.from(old)).length,
    );
    assert.deepEqual(counts, python(code, pairs));
  });

  it('takes time in proportion to the file (T43)', () => {
    const begin = performance.now();
    const file = Buffer.alloc(4_000_000, '\n');
    assert.equal(findMatches(file, Buffer.from(`${'\n'.repeat(100_000)}x`)).length, 0);
    assert.equal(findMatches(Buffer.alloc(4_000_000, 'a'), Buffer.from(`${'a'.repeat(100_000)}b`)).length, 0);
    assert.ok(performance.now() - begin < 10_000);
  });
});

describe('src/agent/tools/edit/edit-bytes.ts', () => {
  it('wants exactly one match, unless all are to be replaced', () => {
    assert.equal(editText('a b a', 'b', 'c'), 'a c a');
    assert.equal(editText('a b a', 'a', 'c', 'all'), 'c b c');
    assert.equal(
      editText('a b a', 'a', 'c'),
      'old_string matched 2 times; set replace_all=true or use a more specific old_string',
    );
    assert.equal(editText('a b a', '', 'c'), 'old_string must be non-empty');
    assert.equal(editText('a b a', 'z', 'c'), 'old_string was not found');
    assert.equal(editText('$& $1', '$&', '$1 $$'), '$1 $$ $1');
  });

  it('takes line feeds for the line breaks of the file, and writes those (E05)', () => {
    assert.equal(editText('a\r\nb\r\nc\r\n', 'a\nb\n', 'x\ny\nz\n'), 'x\r\ny\r\nz\r\nc\r\n');
    assert.equal(editText('a\rb\rc\r', 'a\nb', 'x\ny'), 'x\ry\rc\r');
    assert.equal(editText('a\r\nb\r\n', 'b', 'x\ny'), 'a\r\nx\r\ny\r\n');
    assert.equal(editText('a\r\nb', 'b', 'x\ny'), 'a\r\nx\r\ny');
    assert.equal(editText('a\nb\n', 'a\r\nb', 'x\r\ny'), 'x\ny\n');
    assert.equal(editText('one line', 'one', 'x\ny'), 'x\ny line');
  });

  it('changes only the intended lines of a file with mixed line breaks (E05)', () => {
    assert.equal(editText('a\r\nb\nc\r\nd\n', 'a\nb\nc\nd', 'a\nB\nc\nd'), 'a\r\nB\nc\r\nd\n');
    assert.equal(editText('a\r\nb\nc\r\nd\n', 'b\nc', 'b\nnew\nc'), 'a\r\nb\nnew\nc\r\nd\n');
    assert.equal(editText('a\nb\r\nc\n', 'b\n', ''), 'a\nc\n');
  });

  it('sees one text twice where only its line breaks differ', () => {
    assert.match(editText('a\nb\n\r\na\r\nb\r\n', 'a\nb', 'x'), /matched 2 times/);
  });

  it('leaves every other byte as it is, whatever the encoding (E06)', () => {
    const latin = Buffer.from('# caf\xe9 \xff\n x = 1\n', 'latin1');
    assert.deepEqual(edit(latin, 'x = 1', 'x = 2'), Buffer.from('# caf\xe9 \xff\n x = 2\n', 'latin1'));
    const gbk = Buffer.from([0xc4, 0xe3, 0xba, 0xc3, 0x0a, 0x61, 0x0a, 0x81, 0x5c]);
    const wanted = Buffer.from(gbk);
    wanted[5] = 0x62;
    assert.deepEqual(edit(gbk, 'a', 'b'), wanted);
    const withMark = Buffer.from('\ufefffirst\nsecond\n');
    assert.deepEqual(edit(withMark, 'first', '1st'), Buffer.from('\ufeff1st\nsecond\n'));
    const binary = Buffer.from([0, 1, 2, 0x61, 0, 0xfe]);
    assert.deepEqual(edit(binary, 'a', 'ü'), Buffer.from([0, 1, 2, 0xc3, 0xbc, 0, 0xfe]));
  });

  it('refuses with a reason what it cannot do without harm (E06)', () => {
    for (const text of ['\ufeffx = 1', 'x = 1'])
      assert.match(editText(Buffer.from(text, 'utf16le'), 'x', 'y'), /the file is UTF-16/);
    assert.equal(editText('', 'x', 'y'), 'old_string was not found');
    assert.match(
      editText(Buffer.from('caf\xe9', 'latin1'), 'caf\ufffd', 'tea'),
      /U\+FFFD, which stands for bytes/,
    );
  });

  it('says what the text differs in and where, and never matches elsewhere by itself (D04)', () => {
    const file = 'def f():\n    if a:\n        go()\n';
    assert.match(
      editText(file, 'if a:\n    go()', 'x'),
      /only in leading whitespace from the text at line 2; .* ' {4}if a:'/,
    );
    assert.match(editText(`${file}${file}`, 'if a:\n    go()', 'x'), /at line 2, 5;/);
    assert.match(editText('end', 'end\n', 'x'), /only in a first or final newline from the text at line 1/);
    assert.match(editText('a  \nb\n', 'a\nb', 'x'), /only in trailing whitespace from the text at line 1/);
    assert.match(editText(' a \nb\n', 'a\nb', 'x'), /only in leading and trailing whitespace/);
    assert.equal(editText('x\n', '\n\n', 'y'), 'old_string was not found');
  });

  it('notes that a match begins after indentation when new lines may then be nested wrongly (D04)', () => {
    const file = Buffer.from('def f():\n        return 1\n');
    const note = (newText: string) => {
      const edited = editBytes(file, { oldText: 'return 1', newText, scope: 'one' });
      return edited.kind === 'edited' ? edited.note : 'refused';
    };
    assert.match(note('x = 1\n    return x'), /after the indentation of line 2 \(8 characters\)/);
    assert.deepEqual([note('return 2'), note('x = 1\n        return x')], ['', '']);
  });

  it('does not grow a file without bound (T43)', () => {
    assert.match(editText('a'.repeat(1000), 'a', 'x'.repeat(100_000), 'all'), /too large/);
  });
});
