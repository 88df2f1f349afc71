import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Ran, runScript } from '../../fakes/agent-world.ts';
import { calls, completion, says, toolCall } from '../../fakes/model-server.ts';

/** Text of the messages array in a request's body. */
function messagesText(body: string): string {
  const start = body.indexOf('"messages":[') + '"messages":['.length;
  return body.slice(start, body.lastIndexOf('],"tools":'));
}

const lastRequest = ({ server }: Ran) => JSON.parse(server.received.at(-1)?.text ?? '{}');
const lastMessage = (ran: Ran) => lastRequest(ran).messages.at(-1);

describe('src/agent/loop.ts', () => {
  it('asks with the prompt, runs calls in order, and ends by itself', async () => {
    const ran = await runScript([
      calls(['Glob', { pattern: '*' }], ['Read', { file_path: 'a' }]),
      says('Done: mended.'),
    ]);
    assert.equal(ran.end.exitReason, 'agent');
    assert.equal(ran.end.lastWords, 'Done: mended.');
    assert.deepEqual([ran.end.turns, ran.end.toolCalls, ran.end.tokens, ran.end.fault], [2, 2, 220, null]);
    assert.deepEqual(ran.used, [
      ['Glob', { pattern: '*' }],
      ['Read', { file_path: 'a' }],
    ]);
    const [system, user, assistant, first, second] = lastRequest(ran).messages;
    assert.deepEqual([system.role, user.role, assistant.role], ['system', 'user', 'assistant']);
    assert.match(user.content, /Mend it\./);
    assert.deepEqual([first.content, second.content], ['Glob 1', 'Read 2']);
    assert.deepEqual(
      [first.tool_call_id, second.tool_call_id],
      assistant.tool_calls.map((call: { id: string }) => call.id),
    );
  });

  it('sends what Leaf sends', async () => {
    const { tools, messages, ...rest } = lastRequest(await runScript([says('Nothing to do.')]));
    assert.deepEqual(rest, {
      model: 'scripted',
      tool_choice: 'auto',
      parallel_tool_calls: true,
      max_completion_tokens: 8192,
      temperature: 0.6,
      top_p: 0.95,
      top_k: 20,
      min_p: 0,
      presence_penalty: 0,
      repetition_penalty: 1,
      chat_template_kwargs: { enable_thinking: true },
    });
    assert.equal(messages.length, 2);
    const required = tools.map((tool: { function: { name: string; parameters: { required: string[] } } }) => [
      tool.function.name,
      tool.function.parameters.required,
    ]);
    assert.deepEqual(required, [
      ['Read', ['file_path']],
      ['Write', ['file_path', 'content']],
      ['Edit', ['file_path', 'old_string', 'new_string']],
      ['Glob', ['pattern']],
      ['Bash', ['command']],
    ]);
  });

  it('begins every one of 150 requests with the bytes of the one before', async () => {
    let turn = 0;
    const always = () => {
      turn += 1;
      return completion(
        {
          content: turn % 7 === 0 ? null : `Turn ${turn} ü ${String.fromCharCode(0xd800)} "quoted"`,
          reasoning_content: `thinking ${turn}`,
          ...(turn % 31 === 0
            ? { content: '' }
            : {
                tool_calls: [
                  toolCall(
                    'Bash',
                    turn % 5 === 0 ? '{"command": broken' : { command: `echo ${turn}` },
                    'call_0',
                  ),
                ],
              }),
        },
        turn % 29 === 0 ? 'length' : undefined,
      );
    };
    const ran = await runScript([], { always });
    assert.equal(ran.end.exitReason, 'max_turns');
    assert.equal(ran.server.received.length, 150);
    const texts = ran.server.received.map(({ text }) => messagesText(text));
    for (const [index, text] of texts.entries()) {
      if (index > 0) assert.ok(text.startsWith(texts[index - 1] ?? '-'), `request ${index}`);
    }
    assert.deepEqual(ran.server.violations, []);
  });

  it('saves the transcript after every turn, with secrets taken out, and tells of the turn', async () => {
    const ran = await runScript([calls(['Bash', { command: 'env' }]), says('The key is sesame-open-12.')], {
      answer: () => 'KEY=sesame-open-12',
      secret: 'sesame-open-12',
    });
    assert.deepEqual(
      ran.saved.map(({ turns, exitReason }) => [turns.length, exitReason]),
      [
        [1, null],
        [2, null],
        [2, 'agent'],
      ],
    );
    assert.ok(!JSON.stringify(ran.saved).includes('sesame'));
    assert.equal(ran.end.lastWords, 'The key is [secret].');
    assert.deepEqual(
      ran.progress.map(({ turn, toolCalls }) => [turn, toolCalls]),
      [
        [1, 1],
        [2, 1],
      ],
    );
    const [turn] = ran.saved.at(-1)?.turns ?? [];
    assert.deepEqual(
      [turn?.turn, turn?.kind, turn?.usage?.totalTokens, turn?.calls[0]?.name],
      [1, 'calls', 110, 'Bash'],
    );
  });

  it('keeps a tool call of a turn that a later call ended', async () => {
    const controller = new AbortController();
    const ran = await runScript([calls(['Bash', { command: '1' }], ['Bash', { command: '2' }])], {
      signal: controller.signal,
      answer: (_name, { command }) => {
        if (command === '2') {
          controller.abort(new Error('label removed'));
          throw controller.signal.reason;
        }
        return 'first';
      },
    });
    assert.equal(ran.end.exitReason, 'cancelled');
    assert.equal(ran.saved.at(-1)?.messages.at(-1)?.content, 'first');
  });

  it('answers an unknown tool, and corrects a name in the wrong case', async () => {
    const ran = await runScript([calls(['Fly', { to: 'moon' }], ['bash', { command: 'ls' }]), says('Done.')]);
    assert.deepEqual(ran.used, [['Bash', { command: 'ls' }]]);
    const [, , assistant, unknown] = lastRequest(ran).messages;
    assert.equal(unknown.content, 'Unknown tool: Fly');
    assert.equal(assistant.tool_calls[1].function.name, 'Bash');
  });

  it('ends at its limits: context, time, turns', async () => {
    const big = completion({ tool_calls: [toolCall('Bash', { command: 'x' })] }, undefined, {
      prompt_tokens: 9_000,
      completion_tokens: 700,
      total_tokens: 9_700,
    });
    const context = await runScript([big], { limits: { contextTokens: 10_000 } });
    assert.equal(context.end.exitReason, 'max_context_len');
    const time = await runScript([{ trouble: 'hang' }], { limits: { wallMs: 300 } });
    assert.equal(time.end.exitReason, 'max_time');
    const turns = await runScript([], {
      limits: { steps: 2 },
      always: (at) => calls(['Bash', { command: String(at.at) }]),
    });
    assert.deepEqual([turns.end.exitReason, turns.end.turns], ['max_turns', 2]);
  });

  it('asks for no more tokens than the context has left', async () => {
    const half = completion({ tool_calls: [toolCall('Bash', { command: 'x' })] }, undefined, {
      prompt_tokens: 90_000,
      completion_tokens: 10_000,
      total_tokens: 100_000,
    });
    const ran = await runScript([half, says('Done.')], { limits: { contextTokens: 104_000 } });
    const asked = lastRequest(ran).max_completion_tokens;
    assert.ok(asked < 4_000 && asked > 3_500, String(asked));
  });

  it('ends as a value when the model or the sandbox fails, with the fault beside it', async () => {
    const model = await runScript([{ status: 401, body: { error: { message: 'no' } } }]);
    assert.deepEqual(
      [model.end.exitReason, model.end.fault?.code],
      ['llm_query_error', 'model_unauthorized'],
    );
    const { fault } = await import('../../../src/errors.ts');
    const sandbox = await runScript([calls(['Bash', { command: 'x' }])], {
      answer: () => {
        throw fault('sandbox_lost', { detail: 'gone' });
      },
    });
    assert.deepEqual([sandbox.end.exitReason, sandbox.end.fault?.code], ['tool_error', 'sandbox_lost']);
  });

  it('ends as cancelled while the model thinks, and the server sees the connection close', async () => {
    const controller = new AbortController();
    const ran = runScript(
      [
        (received) => {
          setImmediate(() => controller.abort(new Error('issue closed')));
          void received.closed.then(() => closed.resolve());
          return { trouble: 'hang' };
        },
      ],
      { signal: controller.signal },
    );
    const closed = Promise.withResolvers<void>();
    assert.equal((await ran).end.exitReason, 'cancelled');
    await closed.promise;
  });

  it('lets pass what save throws', async () => {
    await assert.rejects(
      runScript([says('Done.')], {
        onTurn: () => {
          throw new Error('lease lost');
        },
      }),
      /lease lost/,
    );
  });

  it('interrupts identical and alternating calls, then stops', async () => {
    const same = await runScript([], {
      always: () => calls(['Read', { file_path: 'a' }]),
      answer: () => 'the same',
    });
    assert.equal(same.end.exitReason, 'no_progress');
    assert.equal(same.used.length, 3);
    let turn = 0;
    const pair = await runScript([], {
      always: () => calls(['Read', { file_path: turn++ % 2 === 0 ? 'a' : 'b' }]),
      answer: (_name, args) => JSON.stringify(args),
    });
    assert.equal(pair.end.exitReason, 'no_progress');
    assert.equal(pair.used.length, 6);
    assert.match(lastMessage(pair).content, /^Not run: the same calls/);
    assert.deepEqual(pair.server.violations, []);
  });

  it('does not interrupt the same command while its result changes', async () => {
    let count = 0;
    const ran = await runScript(
      [
        ...Array(5)
          .fill(0)
          .map(() => calls(['Bash', { command: 'make' }])),
        says('Done.'),
      ],
      {
        answer: () => `built ${++count}`,
      },
    );
    assert.deepEqual([ran.end.exitReason, ran.used.length], ['agent', 5]);
  });
});
