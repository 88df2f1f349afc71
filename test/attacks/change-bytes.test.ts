import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Prepared } from '../../src/run/types.ts';
import { fillWorkspace } from '../../src/run/workspace.ts';
import { createWorld, type World } from '../fakes/git-world.ts';
import { createPlainSandbox } from '../fakes/plain-sandbox.ts';

const FILES: Record<string, Buffer> = {
  'crlf.txt': Buffer.from('one\r\ntwo\r\nthree\r\n'),
  'mixed.txt': Buffer.from('one\r\ntwo\nthree\rfour\n'),
  'eol.txt': Buffer.from('one\ntwo\nthree\n'),
  'ident.c': Buffer.from('/* $Id$ */\none\ntwo\n'),
  'latin1.txt': Buffer.from('caf\xe9\none\ntwo\n', 'latin1'),
  'gbk.txt': Buffer.from([0xc4, 0xe3, 0xba, 0xc3, 10, 0x6f, 0x6e, 0x65, 10]),
  'utf16.txt': Buffer.from('\ufeffone\ntwo\n', 'utf16le'),
  'bom.txt': Buffer.from('\ufeffone\ntwo\n'),
  'nul.bin': Buffer.from([0, 1, 2, 10, 0x6f, 0x6e, 0x65, 10, 255]),
  'no-newline.txt': Buffer.from('one\ntwo'),
  empty: Buffer.alloc(0),
  'filtered.dat': Buffer.from('one\n'),
  '.gitattributes': Buffer.from(
    [
      'crlf.txt -text',
      'mixed.txt -text',
      'eol.txt text eol=crlf',
      '*.c ident',
      'utf16.txt working-tree-encoding=UTF-16',
      '*.dat filter=lfs -text',
      '* text=auto',
      '',
    ].join('\n'),
  ),
};
/** Bytes as git stores them, without the conversions of the machine that commits. */
const RAW_ATTRIBUTES = '* -text -ident -filter -working-tree-encoding\n';

describe('src/run/change.ts: bytes arrive as they are (E05, E06)', () => {
  let world: World;
  let prepared: Prepared;
  before(async () => {
    world = await createWorld();
    const { writeFile, mkdir } = await import('node:fs/promises');
    await mkdir(path.join(world.upstream.work, '.git/info'), { recursive: true });
    await writeFile(path.join(world.upstream.work, '.git/info/attributes'), RAW_ATTRIBUTES);
    prepared = await world.prepared(FILES);
  });
  after(() => world.close());

  it('the work tree holds exactly the bytes of the base, whatever .gitattributes say', async () => {
    const sandbox = await world.filled(prepared);
    for (const [name, bytes] of Object.entries(FILES))
      assert.deepEqual(await readFile(path.join(sandbox.workspace, name)), bytes, name);
    assert.equal((await world.collect(sandbox, prepared)).kind, 'none');
    assert.equal(await sandbox.sh('git status --porcelain'), '');
  });

  it('one edited line is one changed line in each file, and the verification sees the same bytes', async () => {
    const sandbox = await world.filled(prepared);
    await sandbox.sh(
      `for f in crlf.txt mixed.txt eol.txt ident.c latin1.txt gbk.txt bom.txt; do /usr/bin/sed -i 's/one/ONE/' $f; done`,
    );
    const change = await world.collect(sandbox, prepared);
    assert.equal(change.kind, 'changed');
    assert.deepEqual(
      change.files.map(({ path: name, additions, deletions }) => [name, additions, deletions]),
      ['bom.txt', 'crlf.txt', 'eol.txt', 'gbk.txt', 'ident.c', 'latin1.txt', 'mixed.txt'].map((name) => [
        name,
        1,
        1,
      ]),
    );
    const patched = await createPlainSandbox();
    try {
      const packs = [await world.artifacts.open(prepared.pack), await world.artifacts.open(change.pack)];
      await fillWorkspace(patched, { packs, tree: change.tree, commit: null }, world);
      for (const name of Object.keys(FILES)) {
        const left = await readFile(path.join(sandbox.workspace, name));
        assert.deepEqual(await readFile(path.join(patched.workspace, name)), left, name);
      }
    } finally {
      await patched.destroy();
    }
  });

  it('binary files and files of NULs pass, without line counts', async () => {
    const sandbox = await world.filled(prepared);
    await sandbox.sh(`printf '\\000\\377\\n' > nul.bin; printf '\\000' > new.bin`);
    const change = await world.collect(sandbox, prepared);
    assert.deepEqual(
      change.kind === 'changed' && change.files.map(({ path: name, additions }) => [name, additions]),
      [
        ['new.bin', null],
        ['nul.bin', null],
      ],
    );
  });
});

describe('src/run/workspace.ts', () => {
  it('a work tree that does not become what the pack says is a fault', async (t) => {
    const world = await createWorld();
    t.after(() => world.close());
    const prepared = await world.prepared({ 'a.txt': 'one\n' });
    const fill = async (spoil: (script: string) => string) => {
      const sandbox = await createPlainSandbox();
      try {
        const exec: typeof sandbox.exec = (call, options) =>
          sandbox.exec({ ...call, argv: call.argv.map(spoil) as [string] }, options);
        const content = { packs: [await world.artifacts.open(prepared.pack)], ...prepared.base };
        await fillWorkspace({ put: sandbox.put, exec }, content, world);
      } finally {
        await sandbox.destroy();
      }
    };
    const checkout = 'git checkout-index --quiet --force --all';
    for (const harm of ['echo x >a.txt', 'rm a.txt', 'echo x >b.txt', 'chmod +x a.txt'])
      await assert.rejects(
        fill((script) => script.replace(checkout, `${checkout}; ${harm}`)),
        { code: 'sandbox_transfer_failed' },
        harm,
      );
    await fill((script) => script);
  });

  it('a pack that was altered on the way is a fault', async (t) => {
    const world = await createWorld();
    t.after(() => world.close());
    const prepared = await world.prepared({ 'a.txt': 'one\n' });
    const pack = Buffer.from(world.artifacts.values.get(prepared.pack)!);
    pack[20] = pack[20]! ^ 1;
    const sandbox = await createPlainSandbox();
    t.after(() => sandbox.destroy());
    const packs = [
      (async function* () {
        yield pack;
      })(),
    ];
    await assert.rejects(fillWorkspace(sandbox, { packs, ...prepared.base }, world), {
      code: 'sandbox_transfer_failed',
    });
  });
});
