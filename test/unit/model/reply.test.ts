import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseReply } from '../../../src/model/reply.ts';

const parse = (message: unknown, rest: Record<string, unknown> = {}, usage?: unknown) =>
  parseReply({ choices: [{ message, ...rest }], usage });

describe('src/model/reply.ts', () => {
  it('keeps content, calls and reasoning as the server named it, and nothing else (D10)', () => {
    const message = {
      role: 'assistant',
      content: 'a',
      reasoning: 'b',
      reasoning_content: 'c',
      refusal: null,
      audio: 1,
    };
    assert.deepEqual(parse(message)?.message, {
      role: 'assistant',
      content: 'a',
      reasoning: 'b',
      reasoning_content: 'c',
    });
    assert.deepEqual(parse({ content: null, reasoning: null })?.message, {
      role: 'assistant',
      content: null,
    });
  });

  it('joins the text of content parts and drops images', () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'image_url', image_url: {} },
      { type: 'text', text: 'b' },
    ];
    assert.equal(parse({ content })?.message.content, 'ab');
  });

  it('names finish reasons, unknown and missing ones as other', () => {
    const names = [
      'stop',
      'eos',
      'tool_calls',
      'function_call',
      'length',
      'abort',
      'constructor',
      null,
      7,
      undefined,
    ];
    const found = names.map((finish_reason) => parse({ content: 'a' }, { finish_reason })?.finishReason);
    assert.deepEqual(found, [
      ...['stop', 'stop', 'tool_calls', 'tool_calls', 'length'],
      ...['other', 'other', 'other', 'other', 'other'],
    ]);
  });

  it('reads calls leniently: no id, object arguments, the old single call, rubbish between', () => {
    const tool_calls = [
      { function: { name: 'A' } },
      7,
      { function: {} },
      { id: 'x', function: { name: 'B', arguments: { c: 1 } } },
    ];
    const calls = parse({ content: null, tool_calls, function_call: { name: 'C', arguments: '{}' } })?.message
      .tool_calls;
    assert.deepEqual(calls, [
      { id: '', type: 'function', function: { name: 'A', arguments: '' } },
      { id: 'x', type: 'function', function: { name: 'B', arguments: '{"c":1}' } },
      { id: '', type: 'function', function: { name: 'C', arguments: '{}' } },
    ]);
  });

  it('takes a count that can be right, and null for all others', () => {
    const usage = (value: unknown) => parse({ content: 'a' }, {}, value)?.usage;
    assert.deepEqual(usage({ prompt_tokens: 5, completion_tokens: 2, total_tokens: 9 }), {
      promptTokens: 5,
      completionTokens: 2,
      totalTokens: 9,
    });
    assert.equal(usage({ prompt_tokens: 5, completion_tokens: 2 })?.totalTokens, 7);
    for (const odd of [null, undefined, {}, { prompt_tokens: -1 }, { prompt_tokens: 1e300 }, 'many'])
      assert.equal(usage(odd), null);
  });

  it('is null for what is no completion', () => {
    for (const odd of [
      null,
      undefined,
      'x',
      [],
      {},
      { choices: {} },
      { choices: [] },
      { choices: [{}] },
      { choices: [{ message: 1 }] },
    ])
      assert.equal(parseReply(odd), null);
  });
});
