import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toAddresses } from '../../../../src/forge/github/addresses.ts';

describe('src/forge/github/addresses.ts', () => {
  const GITHUB = { apiUrl: 'https://api.github.com', webUrl: 'https://github.com' };
  const CORP = { apiUrl: 'https://git.corp/api/v3', webUrl: 'https://git.corp' };
  const cases = [
    ['https://github.com', GITHUB],
    ['https://www.github.com/', GITHUB],
    ['https://git.corp', CORP],
    ['https://git.corp/', CORP],
    ['https://git.corp///', CORP],
    ['https://git.corp/api/v3', CORP],
    ['https://git.corp/api/v3/', CORP],
    ['https://user:pass@git.corp?x#y', CORP],
    ['https://git.corp:8443', { apiUrl: 'https://git.corp:8443/api/v3', webUrl: 'https://git.corp:8443' }],
    ['http://127.0.0.1:3000', { apiUrl: 'http://127.0.0.1:3000/api/v3', webUrl: 'http://127.0.0.1:3000' }],
    ['https://[::1]:8443', { apiUrl: 'https://[::1]:8443/api/v3', webUrl: 'https://[::1]:8443' }],
    // Names that only look like the public one are servers of their own.
    [
      'https://github.com.corp',
      { apiUrl: 'https://github.com.corp/api/v3', webUrl: 'https://github.com.corp' },
    ],
  ] as const;
  for (const [base, expected] of cases)
    test(`knows every address of ${base} (B06)`, () => assert.deepEqual(toAddresses(base), expected));

  for (const base of ['', '/', 'git.corp', 'https://'])
    test(`takes ${JSON.stringify(base)} for no address rather than for the public GitHub`, () =>
      assert.throws(() => toAddresses(base)));
});
