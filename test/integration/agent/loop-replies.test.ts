import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Ran, runScript } from '../../fakes/agent-world.ts';
import { calls, completion, says, toolCall } from '../../fakes/model-server.ts';

const MARKUP =
  '<tool_call>\n<function=Bash>\n<parameter=command>\nls -l\n</parameter>\n</function>\n</tool_call>';
const JSON_MARKUP = '<tool_call>\n{"name": "Bash", "arguments": {"command": "ls -l"}}\n</tool_call>';
const LS = [['Bash', { command: 'ls -l' }]];

const messagesOf = ({ server }: Ran, request = -1) =>
  JSON.parse(server.received.at(request)?.text ?? '{}').messages;

/** Runs one odd turn and then an answer. */
const after = (message: Record<string, unknown>, finish?: string) =>
  runScript([completion(message, finish), says('Done.')]);

describe('src/agent/loop.ts: what servers make of a turn', () => {
  it('runs a call that was left in the reasoning (D01)', async () => {
    for (const field of ['reasoning', 'reasoning_content']) {
      const ran = await after({ content: null, [field]: `I'll look.\n${MARKUP}`, tool_calls: [] }, 'stop');
      assert.deepEqual([ran.end.exitReason, ran.used], ['agent', LS], field);
      assert.equal(messagesOf(ran)[2][field], "I'll look.");
      assert.deepEqual(ran.server.violations, []);
    }
  });

  it('runs a call that was left in the text, in either notation, also without its opening tag (D02)', async () => {
    const texts = [
      MARKUP,
      JSON_MARKUP,
      MARKUP.replace('<tool_call>\n', ''),
      JSON_MARKUP.replace('<tool_call>\n', ''),
    ];
    for (const text of texts) {
      const ran = await after({ content: `Let me see.\n\n${text}` });
      assert.deepEqual([ran.used, ran.end.lastWords], [LS, 'Done.'], text);
      assert.equal(messagesOf(ran)[2].content, 'Let me see.');
    }
  });

  it('asks again for a call with a cut parameter, and never shows the markup as the last words (D02)', async () => {
    const cut = `I shall run it.\n${MARKUP.slice(0, MARKUP.indexOf('</parameter>'))}`;
    const ran = await runScript([says(cut), says(cut), says(cut)]);
    assert.deepEqual(ran.used, []);
    assert.match(messagesOf(ran).at(-1).content, /written as text and is incomplete/);
    assert.deepEqual(
      [ran.end.exitReason, ran.end.turns, ran.end.lastWords],
      ['no_answer', 3, 'I shall run it.'],
    );
  });

  it('runs the good one of two calls and says what was wrong with the other (D02)', async () => {
    const ran = await after({
      content: `${MARKUP}\n<tool_call>\n{"name": "Read", "arguments": {"file_path": "a"`,
    });
    assert.deepEqual(ran.used, LS);
    assert.match(messagesOf(ran).at(-1).content, /^ValueError: the arguments must be one JSON object/);
    assert.deepEqual(ran.server.violations, []);
  });

  it('does not run markup that an answer quotes (D02)', async () => {
    const quoted = [
      `Calls look like this:\n\`\`\`\n${MARKUP}\n\`\`\``,
      `A fence that is never closed:\n\`\`\`xml\n${MARKUP}`,
      `A call is ${JSON_MARKUP.replaceAll('\n', '')} in one line.`,
      `${MARKUP}\n\nThat is the format that I documented.`,
      `> ${MARKUP.replaceAll('\n', '\n> ')}`,
      MARKUP.replace(/^/gm, '    '),
    ];
    for (const text of quoted) {
      const ran = await runScript([says(text)]);
      assert.deepEqual([ran.used, ran.end.exitReason], [[], 'agent'], text);
    }
  });

  it('does not look for calls in the reasoning of a turn that answers', async () => {
    const ran = await runScript([completion({ content: 'All done.', reasoning: MARKUP })]);
    assert.deepEqual([ran.used, ran.end.exitReason], [[], 'agent']);
  });

  it('keeps the history valid whatever the arguments were, and tells the model (D06)', async () => {
    const odd = [
      '{"command": "ls',
      '',
      'null',
      '[1]',
      '"text"',
      '{"command": "ls"}{',
      `{"a":${'['.repeat(5000)}`,
    ];
    const native = completion({ tool_calls: odd.map((args) => toolCall('Bash', args, 'call_0')) });
    const ran = await runScript([native, calls(['Bash', { command: 'true' }]), says('Done.')]);
    assert.equal(ran.end.exitReason, 'agent');
    assert.deepEqual(ran.server.violations, []);
    const [, , assistant, first] = messagesOf(ran, 1);
    assert.equal(new Set(assistant.tool_calls.map((call: { id: string }) => call.id)).size, odd.length);
    assert.match(first.content, /^ValueError: the arguments must be one JSON object: .*Nothing was run/s);
    assert.match(assistant.tool_calls[0].function.arguments, /malformed_arguments.*command.*ls/);
  });

  it('accepts arguments that are an object or text in text', async () => {
    const object = { function: { name: 'Bash', arguments: { command: 'ls -l' } } };
    const text = toolCall('Bash', JSON.stringify(JSON.stringify({ command: 'ls -l' })));
    const ran = await runScript([completion({ tool_calls: [object, text, 'no call', {}] }), says('Done.')]);
    assert.deepEqual(ran.used, [...LS, ...LS]);
    assert.deepEqual(ran.server.violations, []);
  });

  it('never runs a call of a turn that was cut, and asks for a shorter one (D07)', async () => {
    const half = { tool_calls: [toolCall('Write', { file_path: 'a', content: 'half' })] };
    const ran = await after(half, 'length');
    assert.deepEqual([ran.used, ran.end.exitReason], [[], 'agent']);
    assert.match(messagesOf(ran).at(-1).content, /cut off at 8192 tokens.*calls \(Write\) were not run/s);
    assert.deepEqual(ran.server.violations, []);
  });

  it('ends when turns are cut again and again (D07)', async () => {
    const thinking = completion({ content: null, reasoning: 'hm' }, 'length');
    const ran = await runScript([thinking, thinking, thinking]);
    assert.deepEqual([ran.end.exitReason, ran.end.turns], ['max_tokens_per_turn', 3]);
  });

  it('asks again after an empty turn, and ends without an answer after three (D07)', async () => {
    const empty = [says(''), says(null), completion({ content: ' \n', reasoning: 'The answer is 42.' })];
    const ran = await runScript(empty);
    assert.deepEqual([ran.end.exitReason, ran.end.turns, ran.end.lastWords], ['no_answer', 3, '']);
    assert.match(messagesOf(ran).at(-1).content, /no answer and no tool call.*8192 tokens/s);
    const recovered = await runScript([
      says(''),
      says(''),
      calls(['Bash', { command: 'ls' }]),
      says(''),
      says('Done.'),
    ]);
    assert.equal(recovered.end.exitReason, 'agent');
  });

  it('does not take a turn of an unknown ending for an answer', async () => {
    const ran = await runScript([says('I have begun to', 'abort'), says('Done.')]);
    assert.deepEqual([ran.end.exitReason, ran.end.turns, ran.end.lastWords], ['agent', 2, 'Done.']);
  });

  it('sends reasoning back under the name that it came by, and lets none of it out (D10)', async () => {
    const call = { tool_calls: [toolCall('Bash', { command: 'ls' })] };
    const variants = [{ reasoning: 'secret thought' }, { reasoning_content: 'secret thought' }];
    for (const variant of [...variants, { ...variants[0], ...variants[1] }]) {
      const last = completion({ content: 'Mended.', ...variant });
      const ran = await runScript([completion({ content: null, ...variant, ...call }), last]);
      const { role, content, tool_calls, ...rest } = messagesOf(ran)[2];
      assert.deepEqual([role, content, tool_calls.length, rest], ['assistant', '', 1, variant]);
      assert.equal(ran.end.lastWords, 'Mended.');
    }
    const inline = ['<think>secret thought</think>\n\nMended.', 'secret thought\n</think>\n\nMended.'];
    for (const content of inline) assert.equal((await runScript([says(content)])).end.lastWords, 'Mended.');
  });

  it('takes an answer that is only in the reasoning for none (D10)', async () => {
    for (const message of [{ content: null, reasoning: 'Done.' }, { content: '<think>Done.' }]) {
      const ran = await runScript([completion(message), says('Really done.')]);
      assert.deepEqual([ran.end.turns, ran.end.lastWords], [2, 'Really done.']);
    }
  });

  it('answers a bounded number of calls a turn', async () => {
    const many = Array.from({ length: 500 }, (_, index) => toolCall('Bash', { command: String(index) }));
    const ran = await after({ tool_calls: many });
    assert.equal(ran.used.length, 32);
    assert.deepEqual(ran.server.violations, []);
  });
});
