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
});
