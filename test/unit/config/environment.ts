import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { type Need, parseConfig } from '../../../src/config.ts';
import { Fault } from '../../../src/errors.ts';

export const KEY = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs1', format: 'pem' })
  .toString();
export const WEBHOOK_SECRET = '3f9c0d1b7a55e2c8841f6ab09de374525c1e88fa';
export const FORGE = { GITHUB_APP_ID: '12', GITHUB_PRIVATE_KEY: KEY, WEBHOOK_SECRET };
export const MODEL = { MODEL_BASE_URL: 'https://models.example.com/v1', MODEL_NAME: 'frog' };

/** Text of the fault that these variables end in. */
export function problemsOf(env: Record<string, string>, needs: readonly Need[] = []): string {
  try {
    parseConfig(env, needs);
  } catch (error) {
    assert.ok(error instanceof Fault);
    assert.equal(error.code, 'config_invalid');
    return error.detail;
  }
  throw new Error('the configuration was accepted');
}

/** A folder for files that variables name, removed after the tests of the file. */
export function createFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'tadpole-config-'));
  after(() => rmSync(folder, { recursive: true }));
  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  return { folder, file };
}
