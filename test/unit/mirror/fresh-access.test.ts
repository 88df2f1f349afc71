import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fault } from '../../../src/errors.ts';
import { withFreshAccess } from '../../../src/mirror/fresh-access.ts';

const { signal } = new AbortController();

/** Mints tokens named 1, 2, …; `tries` lists the token of each try. */
function setUp(accepts: (token: string, tries: readonly string[]) => boolean) {
  const tries: string[] = [];
  let minted = 0;
  return {
    tries,
    mint: async () => {
      minted += 1;
      return { url: 'https://h/x', headers: [String(minted)] };
    },
    body: async ({ headers }: { headers: readonly string[] }) => {
      const token = headers[0] ?? '';
      tries.push(token);
      if (!accepts(token, tries)) throw fault('forge_unauthorized', { detail: 'no' });
      return `done with ${token}`;
    },
  };
}

describe('src/mirror/fresh-access.ts', () => {
  it('one token and one try where all is well', async () => {
    const { mint, body, tries } = setUp(() => true);
    assert.equal(await withFreshAccess({ mint }, body, { signal }), 'done with 1');
    assert.deepEqual(tries, ['1']);
  });

  it('minted anew at once, then the same token again and again', async () => {
    const { mint, body, tries } = setUp((_token, all) => all.length === 4);
    assert.equal(await withFreshAccess({ mint, delaysMs: [1, 1, 1] }, body, { signal }), 'done with 2');
    assert.deepEqual(tries, ['1', '2', '2', '2']);
  });

  it('gives up after the last wait', async () => {
    const { mint, body, tries } = setUp(() => false);
    await assert.rejects(withFreshAccess({ mint, delaysMs: [1, 1] }, body, { signal }), {
      code: 'forge_unauthorized',
    });
    assert.deepEqual(tries, ['1', '2', '2', '2']);
  });

  it('other faults pass at once', async () => {
    let tries = 0;
    const body = async () => {
      tries += 1;
      throw fault('forge_forbidden', { detail: 'no' });
    };
    const { mint } = setUp(() => true);
    await assert.rejects(withFreshAccess({ mint }, body, { signal }), { code: 'forge_forbidden' });
    assert.equal(tries, 1);
  });

  it('a cancelled wait ends at once', async () => {
    const { mint, body } = setUp(() => false);
    const stop = new AbortController();
    const waiting = withFreshAccess({ mint, delaysMs: [600_000] }, body, { signal: stop.signal });
    setImmediate(() => stop.abort(new Error('cancelled')));
    await assert.rejects(waiting, { name: 'AbortError' });
  });
});
