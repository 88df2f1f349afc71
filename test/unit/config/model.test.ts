import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseConfig } from '../../../src/config.ts';
import { createFolder, MODEL, problemsOf } from './environment.ts';

const { file } = createFolder();

describe('src/config/model.ts', () => {
  test('prompts go over plain http only to this machine or a host that was named', () => {
    const env = { ...MODEL, MODEL_BASE_URL: 'http://sglang.models:30000/v1/' };
    assert.match(problemsOf(env, ['model']), /allow it: TADPOLE_HTTP_HOSTS=sglang\.models:30000/);
    const named = parseConfig({ ...env, TADPOLE_HTTP_HOSTS: 'sglang.models' }, ['model']);
    assert.equal(named.model.baseUrl, 'http://sglang.models:30000/v1');
    assert.doesNotThrow(() => parseConfig({ ...MODEL, MODEL_BASE_URL: 'http://127.0.0.1:1/v1' }, ['model']));
  });

  test('the key may come from a file', () => {
    const env = { ...MODEL, MODEL_API_KEY_FILE: file('key', 'sk-from-file\n') };
    assert.equal(parseConfig(env, ['model']).model.apiKey, 'sk-from-file');
    const empty = { ...MODEL, MODEL_API_KEY_FILE: file('empty', '\n') };
    assert.match(problemsOf(empty, ['model']), /which is empty/);
  });
});
