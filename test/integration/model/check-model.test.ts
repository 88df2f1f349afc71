import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault, type FaultCode } from '../../../src/errors.ts';
import { checkModel } from '../../../src/model/check-model.ts';
import { createOpenAiModel, type OpenAiOptions } from '../../../src/model/openai.ts';
import type { CompletionRequest } from '../../../src/model/types.ts';
import { gatherLog } from '../../fakes/log-lines.ts';
import {
  type ModelServer,
  type ServerOptions,
  type Step,
  startModelServer,
} from '../../fakes/model-server.ts';
import { never } from '../../fakes/sandboxes.ts';

const REQUEST: CompletionRequest = { messages: [{ role: 'user', content: 'hi' }], tools: [], maxTokens: 10 };
const QUICK = { attempts: 5, firstPauseMs: 1, maxPauseMs: 20, patienceMs: 5_000 };

interface World {
  readonly server: ModelServer;
  readonly options: OpenAiOptions;
  ask(signal?: AbortSignal): Promise<string | null>;
}

async function withServer(
  steps: readonly Step[],
  work: (world: World) => Promise<void>,
  given: Partial<OpenAiOptions> & { server?: ServerOptions } = {},
): Promise<void> {
  const { server: serverOptions, ...rest } = given;
  const server = await startModelServer(steps, serverOptions);
  const { log } = gatherLog();
  const base = {
    baseUrl: server.url,
    name: 'tiny',
    apiKey: 'model-key-123',
    timeoutMs: 10_000,
    retry: QUICK,
    sampling: {},
  };
  const options: OpenAiOptions = { ...base, log, ...rest };
  const model = createOpenAiModel(options);
  try {
    await work({
      server,
      options,
      ask: async (signal = never()) => (await model.complete(REQUEST, { signal })).message.content,
    });
  } finally {
    await server.close();
  }
}

const isFault = (code: FaultCode, detail: RegExp) => (err: unknown) =>
  err instanceof Fault && err.code === code && detail.test(err.detail);

describe('src/model/check-model.ts', () => {
  const signal = never();

  it('asks the list of models, patiently, and finds the name there (D13)', async () => {
    await withServer(
      [{ status: 503 }, { body: { data: [{ id: 'other' }, { id: 'tiny' }] } }],
      async ({ options, server }) => {
        assert.deepEqual(await checkModel(options, { signal }), ['other', 'tiny']);
        assert.deepEqual(
          server.received.map(({ path }) => path),
          ['/v1/models', '/v1/models'],
        );
      },
    );
  });

  it('names what there is when the name is not there', async () => {
    await withServer([{ body: { data: [{ id: 'other' }, null] } }], async ({ options }) => {
      await assert.rejects(
        checkModel(options, { signal }),
        isFault('model_not_found', /MODEL_NAME "tiny"; it lists: other/),
      );
    });
  });

  it('is content with a server that keeps no list', async () => {
    await withServer([{ body: 'ready', headers: { 'content-type': 'text/plain' } }], async ({ options }) => {
      assert.deepEqual(await checkModel(options, { signal }), []);
    });
  });
});
