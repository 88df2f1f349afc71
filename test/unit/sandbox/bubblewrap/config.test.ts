import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault } from '../../../../src/errors.ts';
import { parseBubblewrapOptions } from '../../../../src/sandbox/bubblewrap/config.ts';

describe('src/sandbox/bubblewrap/config.ts', () => {
  it('fills in defaults', () => {
    assert.deepEqual(parseBubblewrapOptions({ stateDir: '/var/lib/tadpole' }), {
      stateDir: '/var/lib/tadpole',
      readOnlyPaths: [],
      bwrapPath: '/usr/bin/bwrap',
      path: '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin',
      minFreeBytes: 1024 ** 3,
    });
  });

  const refused = [
    '/workspace/node_modules',
    '/workspace',
    '/tadpole/x',
    '/tmp/venv',
    '/home/sandbox/.venv',
    '/usr/lib/x',
    '/etc',
    '/proc/1',
    '/opt/../etc',
    'opt',
    '/',
  ];
  for (const inside of refused)
    it(`refuses a read-only path at ${inside}`, () => {
      const options = { stateDir: '/s', readOnlyPaths: [{ host: '/srv/x', inside }] };
      assert.throws(
        () => parseBubblewrapOptions(options),
        (err) => err instanceof Fault && err.code === 'config_invalid',
      );
    });

  it('takes a read-only path beside them', () => {
    const readOnlyPaths = [
      { host: '/srv/x', inside: '/node_modules' },
      { host: '/srv/y', inside: '/opt/venv' },
      { host: '/srv/z', inside: '/tmpfiles' },
    ];
    assert.deepEqual(parseBubblewrapOptions({ stateDir: '/s', readOnlyPaths }).readOnlyPaths, readOnlyPaths);
  });

  it('names all problems at once', () => {
    const options = {
      stateDir: 'state',
      bwrapPath: 'bwrap',
      readOnlyPaths: [{ host: 'x', inside: '/opt/x' }],
    };
    assert.throws(() => parseBubblewrapOptions(options), /"x".*bwrapPath.*stateDir/);
  });
});
