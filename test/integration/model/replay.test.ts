import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { Fault } from '../../../src/errors.ts';
import { checkModel } from '../../../src/model/check-model.ts';
import { createOpenAiModel } from '../../../src/model/openai.ts';
import { startReplay } from '../../../src/model/replay.ts';
import type { Message } from '../../../src/model/types.ts';
import { gatherLog } from '../../fakes/log-lines.ts';
import { never } from '../../fakes/sandboxes.ts';

const TRANSCRIPT = {
  model: 'frog',
  turns: [
    { content: null, reasoning: 'hm', calls: [{ name: 'Bash', arguments: { command: 'ls' } }] },
    {
      content: 'half',
      finish_reason: 'length',
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    },
    { content: null, calls: [{ name: 'Bash', arguments: '{broken', id: 'mine' }], delay_ms: 1 },
  ],
};

async function withReplay(
  work: (ask: (assistants: number) => Promise<unknown>, url: string) => Promise<void>,
): Promise<void> {
  const replay = await startReplay({ transcript: TRANSCRIPT });
  const { log } = gatherLog();
  const endpoint = { baseUrl: replay.url, name: replay.model, apiKey: null, timeoutMs: 5_000, log };
  const model = createOpenAiModel({ ...endpoint, sampling: {}, recorded: true });
  const turn: Message = { role: 'assistant', content: 'x' };
  try {
    assert.deepEqual(await checkModel(endpoint, { signal: never() }), ['frog']);
    await work(async (assistants) => {
      const messages: Message[] = [{ role: 'user', content: 'hi' }, ...Array<Message>(assistants).fill(turn)];
      const { durationMs: _, ...reply } = await model.complete(
        { messages, tools: [], maxTokens: 5 },
        { signal: never() },
      );
      return reply;
    }, replay.url);
  } finally {
    await replay.close();
  }
}

describe('src/model/replay.ts', () => {
  it('plays the turn that the number of assistant messages asks for, as often as it is asked', async () => {
    await withReplay(async (ask) => {
      const first = await ask(0);
      assert.deepEqual(first, await ask(0));
      assert.deepEqual(first, {
        message: {
          role: 'assistant',
          content: null,
          reasoning_content: 'hm',
          tool_calls: [
            { id: 'call_1_1', type: 'function', function: { name: 'Bash', arguments: '{"command":"ls"}' } },
          ],
        },
        finishReason: 'tool_calls',
        usage: (first as { usage: unknown }).usage,
      });
      assert.deepEqual(await ask(1), {
        message: { role: 'assistant', content: 'half' },
        finishReason: 'length',
        usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3 },
      });
      const third = (await ask(2)) as { message: { tool_calls: unknown } };
      assert.deepEqual(third.message.tool_calls, [
        { id: 'mine', type: 'function', function: { name: 'Bash', arguments: '{broken' } },
      ]);
    });
  });

  it('says that it is over past its end', async () => {
    await withReplay(async (ask) => {
      const isOver = (err: unknown) =>
        err instanceof Fault &&
        err.code === 'model_request_refused' &&
        /has 3 turns; turn 4 was asked for/.test(err.detail);
      await assert.rejects(ask(3), isOver);
    });
  });

  it('refuses what is no request, another model, and other paths', async () => {
    await withReplay(async (_ask, url) => {
      const post = async (body: string) =>
        (await fetch(`${url}/chat/completions`, { method: 'POST', body })).status;
      assert.equal(await post('{'), 400);
      assert.equal(await post('{"model": "frog", "messages": []}'), 400);
      assert.equal(await post('{"model": "toad", "messages": [{"role": "user"}]}'), 404);
      assert.equal((await fetch(`${url}/files`)).status, 404);
    });
  });

  it('names every mistake of a transcript', async () => {
    const transcript = { turns: [{ content: 1 }, { content: 'x', finish: 'stop' }] };
    const isClear = (err: unknown) =>
      err instanceof Fault && /turns\.0\.content: .*turns\.1: .*"finish"/.test(err.detail);
    await assert.rejects(startReplay({ transcript }), isClear);
  });

  it('plays the bundled sample', async () => {
    const file = new URL('../../../samples/total/transcript.json', import.meta.url);
    const replay = await startReplay({ transcript: JSON.parse(await readFile(file, 'utf8')) });
    await replay.close();
    assert.match(replay.url, /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  });
});
