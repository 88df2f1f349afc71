import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseListing } from '../../../src/change/listing.ts';

const ID = 'a'.repeat(40);

function answer({
  list = '',
  ids = '',
  ignored = '',
}: {
  list?: string;
  ids?: string;
  ignored?: string;
}): Buffer {
  return Buffer.from(`${list.length} ${ids.length} ${ignored.length}\n${list}${ids}${ignored}`, 'latin1');
}

describe('src/change/listing.ts', () => {
  it('reads files, links, caches and nested repositories, with ids in order and ignored paths marked', () => {
    const listing = parseListing(
      answer({
        list: 'f 755 3 run.sh\0\0f 644 999 big\0\0l 777 6 link\0target\0d 0 0 node_modules\0\0g 0 0 .git\0\0g 0 0 sub/.git\0\0f 4600 1 new\nline\xe9\0\0',
        ids: `${ID}\n${'b'.repeat(40)}\n`,
        ignored: './new\nline\xe9\0',
      }),
      100,
    );
    assert.deepEqual(
      [...listing.files],
      [
        ['run.sh', { mode: '100755', bytes: 3, id: ID, ignored: false }],
        ['big', { mode: '100644', bytes: 999, id: null, ignored: false }],
        [
          'link',
          { mode: '120000', bytes: 6, id: '1de565933b05f74c75ff9a6520af5f9f8a5a2f1d', ignored: false },
        ],
        ['new\nline\xe9', { mode: '100644', bytes: 1, id: 'b'.repeat(40), ignored: true }],
      ],
    );
    assert.deepEqual(listing.caches, ['node_modules']);
    assert.deepEqual(listing.nestedRepositories, ['sub']);
  });

  const broken: Record<string, Buffer> = {
    nothing: Buffer.alloc(0),
    'no sizes': Buffer.from('f 644 1 a\0\0'),
    'too few bytes': answer({ list: 'f 644 1 a\0\0', ids: `${ID}\n` }).subarray(0, -1),
    'too many bytes': Buffer.concat([answer({}), Buffer.from('x')]),
    'an id missing': answer({ list: 'f 644 1 a\0\0' }),
    'an id too many': answer({ list: 'f 644 1 a\0\0', ids: `${ID}\n${ID}\n` }),
    'an id of another form': answer({ list: 'f 644 1 a\0\0', ids: 'rubbish\n' }),
    'an unknown type': answer({ list: 'x 644 1 a\0\0' }),
    'a path twice': answer({ list: 'f 644 1 a\0\0f 644 1 a\0\0', ids: `${ID}\n${ID}\n` }),
    'a file that is a folder too': answer({ list: 'f 644 1 a\0\0f 644 1 a/b\0\0', ids: `${ID}\n${ID}\n` }),
    'a field missing': answer({ list: 'f 644 1 a\0', ids: `${ID}\n` }),
    'an empty path': answer({ list: 'f 644 1 \0\0', ids: `${ID}\n` }),
    'a negative size': answer({ list: 'f 644 -1 a\0\0', ids: `${ID}\n` }),
  };
  for (const [name, bytes] of Object.entries(broken))
    it(`${name} is a fault`, () =>
      assert.throws(() => parseListing(bytes, 100), { code: 'sandbox_transfer_failed' }));
});
