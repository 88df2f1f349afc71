import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parseConfig } from '../../../src/config.ts';
import { createFolder, FORGE, KEY, problemsOf } from './environment.ts';

const { folder, file } = createFolder();
const EC_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

describe('src/config/forge.ts', () => {
  test('the key may come from a file, or on one line', () => {
    const { WEBHOOK_SECRET: secret, GITHUB_APP_ID: id } = FORGE;
    const rest = { WEBHOOK_SECRET: secret, GITHUB_APP_ID: id };
    const inFile = parseConfig({ ...rest, GITHUB_PRIVATE_KEY_FILE: file('key.pem', KEY) }, ['forge']);
    assert.equal(inFile.forge.privateKey, KEY.trim());
    const oneLine = parseConfig({ ...rest, GITHUB_PRIVATE_KEY: KEY.replaceAll('\n', '\\n') }, ['forge']);
    assert.equal(oneLine.forge.privateKey, KEY);
  });

  test('a key that is no RSA key, in both places or unreadable is refused', () => {
    assert.match(
      problemsOf({ ...FORGE, GITHUB_PRIVATE_KEY: EC_KEY }, ['forge']),
      /GITHUB_PRIVATE_KEY +is not an RSA/,
    );
    const both = { ...FORGE, GITHUB_PRIVATE_KEY_FILE: file('both.pem', KEY) };
    assert.match(problemsOf(both, ['forge']), /GITHUB_PRIVATE_KEY_FILE are both set/);
    const { GITHUB_PRIVATE_KEY: _, ...rest } = FORGE;
    const gone = { ...rest, GITHUB_PRIVATE_KEY_FILE: join(folder, 'gone.pem') };
    assert.match(
      problemsOf(gone, ['forge']),
      /GITHUB_PRIVATE_KEY_FILE +names .*gone\.pem, which can't be read/,
    );
  });

  for (const secret of [
    'a'.repeat(64),
    'development-development-development',
    'please-change-me-please-change-me!',
  ]) {
    test(`the webhook secret ${secret.slice(0, 12)}… is a placeholder`, () => {
      assert.match(
        problemsOf({ ...FORGE, WEBHOOK_SECRET: secret }, ['forge']),
        /WEBHOOK_SECRET +is a placeholder/,
      );
    });
  }

  test('plain http is for hosts that were named, with or without their port', () => {
    const at = (hosts: string) =>
      parseConfig({ ...FORGE, GITHUB_HOST: '127.0.0.1:8787', TADPOLE_HTTP_HOSTS: hosts }, ['forge']).forge
        .baseUrl;
    assert.equal(at('127.0.0.1:8787'), 'http://127.0.0.1:8787');
    assert.equal(at('other,127.0.0.1'), 'http://127.0.0.1:8787');
    assert.equal(at('127.0.0.1:1'), 'https://127.0.0.1:8787');
    assert.equal(parseConfig(FORGE, ['forge']).forge.baseUrl, 'https://github.com');
  });
});
