import { AnswerInvalid } from './answer-invalid.ts';
import { createClient } from './client.ts';
import type { Endpoint } from './endpoint.ts';
import { toFailure } from './failure.ts';
import { parseReply } from './reply.ts';
import { RETRY_RULES, withRetries } from './retry.ts';
import type { CompletionRequest, Model, Profile, Reply } from './types.ts';

export interface OpenAiOptions extends Endpoint {
  readonly sampling: Profile['sampling'];
  /** Set when the endpoint plays back a recording; the label says so wherever people read it. */
  readonly recorded?: boolean;
}

/**
 * A model behind an OpenAI-compatible endpoint. `complete` resolves to whatever the model said, however unhelpful; it
 * throws `model_*` faults, and the signal's reason after closing the connection. The key and the set of settings are
 * the caller's.
 */
export function createOpenAiModel(options: OpenAiOptions): Model {
  const { name, recorded = false, log } = options;
  const client = createClient(options);
  const rules = { ...RETRY_RULES, ...options.retry };

  async function ask(request: CompletionRequest, signal: AbortSignal): Promise<Reply> {
    const begin = performance.now();
    const body = requestBody(request, options);
    const answer = await client.post<unknown>('/chat/completions', { body, signal });
    const reply = parseReply(parseText(answer));
    if (reply === null) throw new AnswerInvalid('the answer has no choice with a message');
    const durationMs = performance.now() - begin;
    log.debug(
      { durationMs: Math.round(durationMs), finishReason: reply.finishReason, usage: reply.usage },
      'model answered',
    );
    return { ...reply, durationMs };
  }

  return {
    label: recorded ? `${name} (recorded model)` : name,
    recorded,
    complete: (request, { signal }) =>
      withRetries(() => ask(request, signal), {
        rules,
        judge: (thrown) => toFailure(thrown, options),
        signal,
        log,
      }),
  };
}

/**
 * Messages come first and untouched, so that each body begins with the bytes of the one before (the server's prefix
 * cache).
 */
export function requestBody(
  { messages, tools, maxTokens }: CompletionRequest,
  { name, sampling }: Pick<OpenAiOptions, 'name' | 'sampling'>,
): Record<string, unknown> {
  return {
    model: name,
    messages,
    tools,
    tool_choice: 'auto',
    parallel_tool_calls: true,
    max_completion_tokens: maxTokens,
    ...sampling,
  };
}

/** JSON under a media type that does not say so arrives as text. */
function parseText(answer: unknown): unknown {
  return typeof answer === 'string' ? JSON.parse(answer) : answer;
}
