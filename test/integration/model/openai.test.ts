import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Agent, fetch, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { Fault } from '../../../src/errors.ts';
import { createOpenAiModel, type OpenAiOptions } from '../../../src/model/openai.ts';
import type { CompletionRequest } from '../../../src/model/types.ts';
import { gatherLog } from '../../fakes/log-lines.ts';
import {
  type ModelServer,
  type ServerOptions,
  type Step,
  says,
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

describe('src/model/openai.ts', () => {
  it('sends the key, and no header for it when there is none', async () => {
    await withServer([says('a')], async ({ ask, server }) => {
      await ask();
      assert.equal(server.received[0]?.headers.authorization, 'Bearer model-key-123');
      assert.equal(server.received[0]?.path, '/v1/chat/completions');
    });
    await withServer(
      [says('a')],
      async ({ ask, server }) => {
        await ask();
        assert.equal(server.received[0]?.headers.authorization, undefined);
      },
      { apiKey: null },
    );
  });

  it('says on its label that it is a recording', () => {
    const { log } = gatherLog();
    const options = {
      baseUrl: 'http://127.0.0.1:1/v1',
      name: 'tiny',
      apiKey: null,
      timeoutMs: 1,
      sampling: {},
      log,
    };
    assert.equal(createOpenAiModel(options).label, 'tiny');
    const recorded = createOpenAiModel({ ...options, recorded: true });
    assert.deepEqual([recorded.label, recorded.recorded], ['tiny (recorded model)', true]);
  });

  it('waits past the header and body time-outs that fetch has by itself (D11)', async () => {
    // As undici's own 300 s, only shorter: our requests must not go through the dispatcher that everything else uses.
    const before = getGlobalDispatcher();
    setGlobalDispatcher(new Agent({ headersTimeout: 500, bodyTimeout: 500 }));
    const late = { ...says('late'), delayMs: 2_500 };
    try {
      await withServer([late, late], async ({ ask, server }) => {
        assert.equal(await ask(), 'late');
        await assert.rejects(fetch(`${server.url}/models`), { name: 'TypeError', message: 'fetch failed' });
      });
    } finally {
      setGlobalDispatcher(before);
    }
  });

  it('ends at the configured time-out, in headers and in body, without asking again (D11)', async () => {
    for (const trouble of ['hang', 'hang_in_body'] as const) {
      await withServer(
        [{ trouble }, says('second')],
        async ({ ask, server }) => {
          await assert.rejects(ask(), (err: unknown) => {
            assert.ok(err instanceof Fault);
            assert.deepEqual([err.code, err.retryable], ['model_unavailable', false]);
            return /within 0\.3 s \(MODEL_TIMEOUT_SECONDS\)/.test(err.detail);
          });
          await server.received[0]?.closed;
          assert.equal(server.received.length, 1);
        },
        { timeoutMs: 300 },
      );
    }
  });

  it('closes the connection on abort, in headers, in body and in a pause, and rejects with its reason (D11)', async () => {
    for (const trouble of ['hang', 'hang_in_body'] as const) {
      const controller = new AbortController();
      const abortSoon: Step = () => {
        setTimeout(() => controller.abort(new Error('not needed')), 50);
        return { trouble };
      };
      await withServer([abortSoon, says('second')], async ({ ask, server }) => {
        await assert.rejects(ask(controller.signal), /not needed/);
        await server.received[0]?.closed;
        assert.equal(server.received.length, 1);
      });
    }
    const controller = new AbortController();
    const slow = { ...QUICK, firstPauseMs: 60_000, maxPauseMs: 60_000, patienceMs: 600_000 };
    const failThenAbort: Step = () => {
      setTimeout(() => controller.abort(new Error('not needed')), 50);
      return { status: 500 };
    };
    await withServer(
      [failThenAbort],
      async ({ ask }) => assert.rejects(ask(controller.signal), /not needed/),
      { retry: slow },
    );
  });
});
