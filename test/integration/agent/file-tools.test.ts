import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openToolWorld, type ToolWorld } from '../../fakes/tool-world.ts';

let world: ToolWorld;
before(async () => {
  world = await openToolWorld();
});
after(() => world.close());

const read = (file_path: string, rest: Record<string, unknown> = {}) =>
  world.use('Read', { file_path, ...rest });
const write = (file_path: string, content: string) => world.use('Write', { file_path, content });
const edit = (
  file_path: string,
  old_string: string,
  new_string: string,
  rest: Record<string, unknown> = {},
) => world.use('Edit', { file_path, old_string, new_string, ...rest });

describe('src/agent/tools/read.ts', () => {
  it('names the file and numbers its lines', async () => {
    await world.put('src/a.py', 'x = 1\n\ny = 2\r\nz');
    assert.equal(await read('src/a.py'), 'src/a.py\n1. x = 1\n2. \n3. y = 2\n4. z');
    assert.equal(await read('src/a.py', { offset: '2', limit: 2 }), 'src/a.py\n2. \n3. y = 2');
    assert.equal(await read('/workspace/src/../src/a.py', { limit: 1 }), 'src/a.py\n1. x = 1');
    assert.equal(await world.use('Read', { path: 'src/a.py', limit: 1 }), 'src/a.py\n1. x = 1');
    assert.equal(await read('src/a.py', { offset: 9 }), 'src/a.py');
  });

  it('shows the path behind links, absolute outside of the working directory, and knows the home folder', async () => {
    await world.put('real/b.txt', 'b\n');
    await world.shell('ln -s real/b.txt link; echo h > ~/h.txt; ln -s ~/h.txt away');
    assert.equal(await read('link'), 'real/b.txt\n1. b');
    assert.equal(await read('~/h.txt'), '/home/sandbox/h.txt\n1. h');
    assert.equal(await read('away'), '/home/sandbox/h.txt\n1. h');
  });

  it('says what Python would say of what is no readable file', async () => {
    await world.shell(
      'mkdir -p d; mkfifo f; echo x > secret; chmod 000 secret; ln -s loop loop; ln -s none dangling',
    );
    await world.put("it's", 'quote\n');
    const cases: [string, string][] = [
      ['none.py', "FileNotFoundError: [Errno 2] No such file or directory: 'none.py'"],
      ['dangling', "FileNotFoundError: [Errno 2] No such file or directory: 'dangling'"],
      ["no'ne", `FileNotFoundError: [Errno 2] No such file or directory: "no'ne"`],
      ['d', "IsADirectoryError: [Errno 21] Is a directory: 'd'"],
      ["it's/x", `NotADirectoryError: [Errno 20] Not a directory: "it's/x"`],
      ['secret', "PermissionError: [Errno 13] Permission denied: 'secret'"],
      ['loop', "OSError: [Errno 40] Too many levels of symbolic links: 'loop'"],
      ['f', "OSError: [Errno 22] Not a regular file: 'f'"],
      ['/dev/zero', "OSError: [Errno 22] Not a regular file: '/dev/zero'"],
      ['n'.repeat(300), `OSError: [Errno 36] File name too long: '${'n'.repeat(300)}'`],
      ['a/'.repeat(3000), `OSError: [Errno 36] File name too long: '${'a/'.repeat(3000)}'`],
      ['', 'ValueError: file_path is required'],
      ['a\0b', 'ValueError: file_path must not contain a null byte'],
    ];
    for (const [path, expected] of cases) assert.equal(await read(path), expected);
    assert.equal(await world.use('Read', {}), 'ValueError: file_path is required');
    assert.equal(
      await world.use('Read', { file_path: 7, offset: 'x' }),
      'ValueError: file_path must be a string; offset must be an integer',
    );
  });

  it('takes odd names for names', async () => {
    for (const name of ['-n', '$(id)', 'a b', 'new\nline', '~x', '*', '\\']) {
      await world.put(`/workspace/odd/${name}`, 'odd\n');
      assert.equal(await read(`odd/${name}`), `odd/${name}\n1. odd`);
    }
    await world.shell('echo dash > ./-n');
    assert.equal(await read('-n'), '-n\n1. dash');
  });

  it('replaces broken bytes and keeps a byte order mark', async () => {
    await world.put('bytes', Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff, 0xe2, 0x82, 0x0a, 0x62, 0x00]));
    assert.equal(await read('bytes'), 'bytes\n1. \ufeffa\ufffd\ufffd\n2. b\0');
    await world.put('empty', '');
    assert.equal(await read('empty'), 'empty');
  });

  it('answers in bounded size and time for a file of 400 MB, a line of 50 MB and a binary (E18)', async () => {
    await world.shell(
      'truncate -s 400M huge; head -c 50000000 /dev/zero | tr "\\0" x > line; head -c 3000000 /dev/urandom > binary',
    );
    const begin = performance.now();
    const huge = await read('huge');
    assert.match(
      huge.slice(-200),
      /\[truncated 67088\d{3} chars\]\n\[the first 67108864 of 419430400 bytes were looked at; use Bash/,
    );
    const line = await read('line');
    assert.equal(line.length, 20_000 + '\n[truncated 29980008 chars]'.length);
    assert.ok(line.endsWith('[truncated 49980008 chars]'));
    assert.match((await read('binary')).slice(-40), /\n\[truncated \d+ chars\]$/);
    assert.ok(performance.now() - begin < 60_000);
    await world.shell('rm huge line binary');
  });
});

describe('src/agent/tools/write.ts', () => {
  it('makes files and folders, and counts characters', async () => {
    assert.equal(await write('new/deep/f.txt', 'aü😀\n'), 'Wrote new/deep/f.txt (4 bytes).');
    assert.equal((await world.get('new/deep/f.txt')).toString(), 'aü😀\n');
    assert.equal(await write('~/note', 'x'), 'Wrote /home/sandbox/note (1 bytes).');
  });

  it('writes into the file itself: mode, links and links to it stay', async () => {
    await world.shell('mkdir w; cd w; echo old > tool; chmod 755 tool; ln tool twin; ln -s tool link');
    assert.equal(await write('w/link', 'new\n'), 'Wrote w/tool (4 bytes).');
    assert.equal(await world.shell('cd w; cat twin; stat -c %a tool; readlink link'), 'new\n755\ntool\n');
  });

  it('keeps CRLF of the file or of its neighbours, and ends files with a newline (D04, E05)', async () => {
    await world.put('crlf/a.txt', 'x\r\ny\r\n');
    await write('crlf/a.txt', 'one\ntwo');
    await write('crlf/b.txt', 'three\nfour\n');
    await write('crlf/c.md', 'five\nsix');
    const texts = ['a.txt', 'b.txt', 'c.md'].map(async (name) =>
      (await world.get(`crlf/${name}`)).toString(),
    );
    assert.deepEqual(await Promise.all(texts), ['one\r\ntwo\r\n', 'three\r\nfour\r\n', 'five\nsix\n']);
    await world.put('crlf/open', 'no newline');
    await write('crlf/open', 'still none');
    assert.equal((await world.get('crlf/open')).toString(), 'still none');
  });

  it('warns when much is gone, and when a tag of the call is left at the end (D05)', async () => {
    await world.put('big.html', '<p>line</p>\n'.repeat(400));
    const shrunk = await write('big.html', '<p>line</p>\n'.repeat(150));
    assert.match(
      shrunk,
      /^Wrote big\.html \(\d+ bytes\)\.\nWarning: the file had 400 lines and now has 150\./,
    );
    assert.match(await write('t.html', '<p>\n</para'), /Warning: content ends in <\/para/);
    assert.match(
      await edit('t.html', '<p>', '</tool_call>'),
      /Edited.*\nWarning: new_string ends in <\/tool_call>/,
    );
    assert.equal(await write('t.html', '<p>\n</p>\n'), 'Wrote t.html (9 bytes).');
  });

  it('says what Python would say of what cannot be written', async () => {
    await world.shell('mkdir -p dir; echo x > plain; mkdir closed; chmod 555 closed; mkfifo pipe');
    assert.equal(await write('dir', 'x'), "IsADirectoryError: [Errno 21] Is a directory: 'dir'");
    assert.equal(await write('plain/x', 'x'), "FileExistsError: [Errno 17] File exists: 'plain'");
    assert.equal(
      await write('plain/x/y', 'x'),
      "NotADirectoryError: [Errno 20] Not a directory: 'plain/x/y'",
    );
    assert.equal(await write('closed/x', 'x'), "PermissionError: [Errno 13] Permission denied: 'closed/x'");
    assert.equal(await write('/usr/x', 'x'), "OSError: [Errno 30] Read-only file system: '/usr/x'");
    assert.equal(await write('pipe', 'x'), "OSError: [Errno 22] Not a regular file: 'pipe'");
    assert.equal(await world.use('Write', { file_path: 'x' }), 'ValueError: content is required');
  });

  it('takes a file of 5 MB whole (A06)', async () => {
    const content = 'line of some length, with ü\n'.repeat(180_000);
    await write('five.txt', content);
    assert.equal((await world.get('five.txt')).toString(), content);
  });
});

describe('src/agent/tools/edit.ts', () => {
  it('replaces one match or all, and says how many', async () => {
    await world.put('e.py', 'a = 1\nb = 1\n');
    await world.shell('chmod 700 e.py');
    assert.equal(await edit('e.py', 'a = 1', 'a = 2'), 'Edited e.py (1 replacement).');
    assert.equal(await edit('e.py', ' = ', ' == ', { replace_all: 'true' }), 'Edited e.py (2 replacements).');
    assert.equal((await world.get('e.py')).toString(), 'a == 2\nb == 1\n');
    assert.equal(await world.shell('stat -c %a e.py'), '700\n');
    assert.match(
      await edit('e.py', ' ==', ' ='),
      /^ValueError: old_string matched 2 times; set replace_all=true or use/,
    );
    assert.equal(await edit('e.py', '', 'x'), 'ValueError: old_string must be non-empty');
    assert.equal(
      await edit('no.py', 'a', 'b'),
      "FileNotFoundError: [Errno 2] No such file or directory: 'no.py'",
    );
  });

  it('leaves the bytes that it does not touch as they are (E05, E06)', async () => {
    const before = Buffer.from('\xef\xbb\xbfcaf\xe9\r\nx = 1\r\n\xff\xfe\n', 'latin1');
    await world.put('mixed', before);
    await edit('mixed', 'x = 1\n', 'x = 2\ny = 3\n');
    const expected = before.toString('latin1').replace('x = 1\r\n', 'x = 2\r\ny = 3\r\n');
    assert.equal((await world.get('mixed')).toString('latin1'), expected);
  });

  it('explains a miss and leaves the file alone (D04)', async () => {
    await world.put('miss.py', 'if a:\n    go()\n');
    assert.match(
      await edit('miss.py', '\tgo()', 'stay()'),
      /^ValueError: old_string was not found \(it differs only in leading/,
    );
    assert.equal((await world.get('miss.py')).toString(), 'if a:\n    go()\n');
  });
});
