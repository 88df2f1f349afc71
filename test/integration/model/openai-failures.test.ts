import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Fault, type FaultCode } from '../../../src/errors.ts';
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

const isFault = (code: FaultCode, detail: RegExp) => (err: unknown) =>
  err instanceof Fault && err.code === code && detail.test(err.detail);

describe('src/model/openai.ts when the endpoint fails', () => {
  it('tries again after errors and cut connections, one request at a time (D13)', async () => {
    const troubles: Step[] = [{ status: 500 }, { trouble: 'drop' }, { status: 503 }, { status: 429 }];
    await withServer([...troubles, says('at last')], async ({ ask, server }) => {
      assert.equal(await ask(), 'at last');
      assert.deepEqual([server.received.length, server.mostOpen()], [5, 1]);
      assert.equal(new Set(server.received.map(({ text }) => text)).size, 1);
    });
  });

  it('gives up after its attempts (D13)', async () => {
    await withServer(
      [],
      async ({ ask, server }) => {
        await assert.rejects(ask(), isFault('model_unavailable', /answered 503/));
        assert.equal(server.received.length, QUICK.attempts);
      },
      { server: { always: { status: 503 } } },
    );
  });

  it('gives up when its patience is spent, naming the address when nobody listens (D13)', async () => {
    await withServer(
      [],
      async ({ server, ask }) => {
        await server.close();
        await assert.rejects(ask(), isFault('model_unavailable', /ECONNREFUSED.*MODEL_BASE_URL/));
        // Closing twice is not the server's to offer.
        server.close = async () => undefined;
      },
      { retry: { ...QUICK, attempts: 1000, firstPauseMs: 50, maxPauseMs: 50, patienceMs: 300 } },
    );
  });

  it('waits as long as Retry-After says, and not when that is longer than its patience (D13)', async () => {
    const soon = { status: 503, headers: { 'retry-after': '0.4' } };
    await withServer([soon, says('ok')], async ({ ask, server }) => {
      assert.equal(await ask(), 'ok');
      const [first, second] = server.received;
      assert.ok((second?.at ?? 0) - (first?.at ?? 0) >= 395);
    });
    await withServer([{ status: 503, headers: { 'retry-after': '3600' } }], async ({ ask, server }) => {
      await assert.rejects(ask(), (err: unknown) => err instanceof Fault && err.retryAfterMs === 3_600_000);
      assert.equal(server.received.length, 1);
    });
  });

  it('fails at once where waiting does not help, naming the setting (D13)', async () => {
    const cases: [number, FaultCode, RegExp][] = [
      [401, 'model_unauthorized', /MODEL_API_KEY/],
      [403, 'model_unauthorized', /MODEL_API_KEY/],
      [404, 'model_not_found', /MODEL_NAME, now "tiny", and MODEL_BASE_URL/],
      [413, 'model_request_refused', /413/],
      [307, 'model_request_refused', /redirect/],
    ];
    for (const [status, code, detail] of cases) {
      const headers = status === 307 ? { location: 'http://127.0.0.1:1/elsewhere' } : {};
      await withServer(
        [{ status, headers, body: { error: { message: 'no' } } }, says('second')],
        async ({ ask, server }) => {
          await assert.rejects(ask(), isFault(code, detail));
          assert.equal(server.received.length, 1, String(status));
        },
      );
    }
  });

  it('repeats a refused request once and no more (D06)', async () => {
    const refusal = { status: 400, body: { error: { message: 'arguments must be a JSON object' } } };
    await withServer(
      [],
      async ({ ask, server }) => {
        await assert.rejects(
          ask(),
          isFault('model_request_refused', /answered 400: 400 arguments must be a JSON object/),
        );
        assert.equal(server.received.length, 2);
      },
      { server: { always: refusal } },
    );
    await withServer([refusal, says('fine')], async ({ ask }) => assert.equal(await ask(), 'fine'));
  });

  it('repeats a request once whose answer is none', async () => {
    const none: unknown[] = [
      '<html>login</html>',
      '{"choices": [',
      { choices: [] },
      {},
      [],
      'null',
      { choices: [{}] },
    ];
    for (const body of none) {
      await withServer(
        [],
        async ({ ask, server }) => {
          await assert.rejects(ask(), isFault('model_answer_invalid', /./));
          assert.equal(server.received.length, 2, JSON.stringify(body));
        },
        { server: { always: { body } } },
      );
    }
  });

  it('reads JSON whatever its media type, and no answer without end (T43)', async () => {
    const plain = { ...says('ok'), headers: { 'content-type': 'text/plain' } };
    await withServer([plain], async ({ ask }) => assert.equal(await ask(), 'ok'));
    const long = JSON.stringify({ choices: [{ message: { content: 'x'.repeat(9_000_000) } }] });
    await withServer(
      [{ body: long }],
      async ({ ask }) => assert.rejects(ask(), isFault('model_answer_invalid', /more than/)),
      {
        retry: { ...QUICK, attempts: 1 },
      },
    );
  });

  it('trusts a private authority where one is given, and none else', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tadpole-model-ca-'));
    try {
      const file = (name: string) => join(folder, name);
      const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
      const how = [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
      ];
      execFileSync('openssl', [...how, '-keyout', file('key'), '-out', file('cert'), ...subject], {
        stdio: 'ignore',
      });
      const tls = { key: await readFile(file('key'), 'utf8'), cert: await readFile(file('cert'), 'utf8') };
      await withServer([says('private')], async ({ ask }) => assert.equal(await ask(), 'private'), {
        server: { tls },
        ca: tls.cert,
      });
      await withServer(
        [says('private')],
        async ({ ask, server }) => {
          await assert.rejects(ask(), isFault('model_unavailable', /DEPTH_ZERO_SELF_SIGNED_CERT/));
          assert.equal(server.received.length, 0);
        },
        { server: { tls }, retry: { ...QUICK, attempts: 1 } },
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
