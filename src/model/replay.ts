import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { z } from 'zod';
import { parseRecording, type RecordedTurn, type Recording } from './recording.ts';

export interface ReplayOptions {
  /** A transcript as in `recording.ts`, unparsed. */
  readonly transcript: unknown;
  readonly host?: string;
  /** 0 = any free one. */
  readonly port?: number;
}

export interface Replay {
  /** For `baseUrl`, such as `http://127.0.0.1:41327/v1`. */
  readonly url: string;
  /** The name under which it serves. */
  readonly model: string;
  close(): Promise<void>;
}

const Asked = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string() })).min(1),
});

/** Characters a token, roughly; recorded counts are estimates unless the transcript gives them. */
const CHARS_PER_TOKEN = 4;

/**
 * Serves a recording over the OpenAI protocol. Which turn is played follows from the number of assistant messages in
 * the request, so that a repeated request or a resumed run gets the same one. Past the end it answers 410: a
 * recording that ran out is no answer.
 */
export async function startReplay({
  transcript,
  host = '127.0.0.1',
  port = 0,
}: ReplayOptions): Promise<Replay> {
  const recording = parseRecording(transcript);
  const server = createAdaptorServer({ fetch: createRoutes(recording).fetch });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}/v1`,
    model: recording.model,
    async close() {
      const closed = once(server, 'close');
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
    },
  };
}

function createRoutes(recording: Recording): Hono {
  const { model, turns } = recording;
  const app = new Hono();
  app.get('/v1/models', (context) =>
    context.json({
      object: 'list',
      data: [{ id: model, object: 'model', created: 0, owned_by: 'tadpole (recorded model)' }],
    }),
  );
  app.post('/v1/chat/completions', async (context) => {
    const text = await context.req.text();
    const asked = Asked.safeParse(parseJson(text));
    if (!asked.success) return context.json(problem('model and messages are needed'), 400);
    if (asked.data.model !== model)
      return context.json(problem(`this recording plays the model ${model}`), 404);
    const index = asked.data.messages.filter((message) => message.role === 'assistant').length;
    const turn = turns[index];
    if (turn === undefined) {
      return context.json(
        problem(`the recording has ${turns.length} turns; turn ${index + 1} was asked for`),
        410,
      );
    }
    const { signal } = context.req.raw;
    await sleep(turn.delay_ms, undefined, { signal });
    return context.json(toCompletion(turn, { model, index, promptChars: text.length }));
  });
  app.notFound((context) =>
    context.json(problem('there is nothing here but /v1/models and /v1/chat/completions'), 404),
  );
  return app;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function problem(message: string) {
  return { error: { message, type: 'invalid_request_error' } };
}

function toCompletion(
  turn: RecordedTurn,
  {
    model,
    index,
    promptChars,
  }: { readonly model: string; readonly index: number; readonly promptChars: number },
) {
  const calls = turn.calls.map((call, place) => ({
    id: call.id ?? `call_${index + 1}_${place + 1}`,
    type: 'function',
    function: {
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    },
  }));
  const message = {
    role: 'assistant',
    content: turn.content,
    ...(turn.reasoning === undefined ? {} : { reasoning_content: turn.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const finish = turn.finish_reason ?? (calls.length > 0 ? 'tool_calls' : 'stop');
  return {
    id: `recorded-${index + 1}`,
    object: 'chat.completion',
    created: 0,
    model,
    choices: [{ index: 0, message, finish_reason: finish }],
    usage: turn.usage ?? estimate(promptChars, JSON.stringify(message).length),
  };
}

function estimate(promptChars: number, replyChars: number) {
  const prompt = Math.ceil(promptChars / CHARS_PER_TOKEN);
  const completion = Math.ceil(replyChars / CHARS_PER_TOKEN);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
