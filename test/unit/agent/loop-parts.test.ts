import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recoverCalls } from '../../../src/agent/call-recovery.ts';
import { createBudget } from '../../../src/agent/limits.ts';
import { createNudges } from '../../../src/agent/nudges.ts';
import { parseArguments } from '../../../src/agent/parse-arguments.ts';
import { createProgress } from '../../../src/agent/progress.ts';
import { splitReply } from '../../../src/agent/split-reply.ts';

const LIMITS = { steps: 3, wallMs: 1000, contextTokens: 10_000, turnTokens: 2_000 };

describe('src/agent/limits.ts', () => {
  const usage = (totalTokens: number) => ({ promptTokens: 0, completionTokens: 0, totalTokens });
  const reply = { role: 'assistant', content: 'x'.repeat(300) } as const;

  it('names the limit that is reached', () => {
    let now = 0;
    const budget = createBudget(LIMITS, () => now);
    assert.deepEqual([budget.reached(), budget.remainingMs(), budget.maxTokens()], [null, 1000, 2000]);
    now = 1000;
    assert.deepEqual([budget.reached(), budget.remainingMs()], ['max_time', 0]);
    now = 0;
    budget.countTurn(usage(8_500), reply);
    assert.deepEqual([budget.reached(), budget.maxTokens()], [null, 10_000 - 8_500 - 256]);
    budget.countTurn(usage(9_300), reply);
    assert.equal(budget.reached(), 'max_context_len');
    budget.countTurn(usage(100), reply);
    assert.deepEqual([budget.reached(), budget.turns, budget.tokens], ['max_turns', 3, 17_900]);
  });

  it('estimates what the server does not count', () => {
    const budget = createBudget(LIMITS, () => 0);
    budget.countTurn(null, reply);
    assert.ok(budget.contextTokens > 100 && budget.contextTokens < 150);
    budget.countMessages([{ role: 'tool', tool_call_id: 'a', content: 'é'.repeat(3000) }]);
    assert.ok(budget.contextTokens > 2_100);
  });
});

describe('src/agent/nudges.ts', () => {
  const facts = { maxTokens: 10, dropped: [] };

  it('ends at the third useless turn in a row, by the kind of the last', () => {
    const nudges = createNudges();
    assert.equal(nudges.next('empty', facts).kind, 'told');
    assert.equal(nudges.next('broken_call', facts).kind, 'told');
    assert.deepEqual(nudges.next('cut', facts), { kind: 'end', reason: 'max_tokens_per_turn' });
  });

  it('ends at the twelfth altogether, whatever lies between', () => {
    const nudges = createNudges();
    for (let count = 1; count < 12; count += 1) {
      assert.equal(nudges.next('empty', facts).kind, 'told', String(count));
      nudges.reset();
    }
    assert.deepEqual(nudges.next('empty', facts), { kind: 'end', reason: 'no_answer' });
  });
});

describe('src/agent/progress.ts', () => {
  /** Plays turns as pairs of call and result; gives the verdicts. */
  function play(turns: readonly (readonly [string, string])[]): string {
    const progress = createProgress();
    return turns
      .map(([call, result]) => {
        const verdict = progress.judge(call);
        if (verdict === 'run') progress.record(call, result);
        return verdict[0];
      })
      .join('');
  }
  const cycle = (names: string, rounds: number) =>
    Array.from(names.repeat(rounds), (name) => [name, `result of ${name}`] as const);

  it('interrupts a call after three equal results, and stops after three interruptions', () => {
    assert.equal(play(cycle('a', 7)), 'rrriiis');
  });

  it('knows cycles of two and three', () => {
    assert.equal(play(cycle('ab', 5)), 'rrrrrriiis');
    assert.equal(play(cycle('abc', 5).slice(0, 13)), `${'r'.repeat(9)}iiis`);
  });

  it('lets a call wait for something six times while its result changes', () => {
    assert.equal(play(Array.from({ length: 8 }, (_, index) => ['poll', String(index)] as const)), 'rrrrrrii');
  });

  it('begins anew after something else', () => {
    const turns = [...cycle('a', 4), ['b', '1'] as const, ...cycle('a', 3)];
    assert.equal(play(turns), 'rrrirrrr');
  });
});

describe('src/agent/parse-arguments.ts', () => {
  const kindOf = (text: string) => parseArguments(text).kind;

  it('takes an object, and nothing else', () => {
    assert.deepEqual(parseArguments('{"a": 1}'), { kind: 'object', value: { a: 1 }, text: '{"a": 1}' });
    assert.deepEqual(parseArguments(' '), { kind: 'object', value: {}, text: '{}' });
    assert.deepEqual(parseArguments('"{\\"a\\": 1}"'), { kind: 'object', value: { a: 1 }, text: '{"a": 1}' });
    for (const text of ['[]', '1', '"a"', '{"a": 1', '{"a": 1}}', 'undefined', '"\\"{}\\""'])
      assert.equal(kindOf(text), 'malformed', text);
  });

  it('refuses what is nested too deeply for other servers, brackets in text aside', () => {
    assert.equal(kindOf(`{"a": ${'['.repeat(63)}${']'.repeat(63)}}`), 'object');
    assert.equal(kindOf(`{"a": ${'['.repeat(64)}${']'.repeat(64)}}`), 'malformed');
    assert.equal(kindOf(JSON.stringify({ a: '['.repeat(1000) })), 'object');
  });

  it('leaves no half character behind an escape', () => {
    const parsed = parseArguments('{"a": "\\ud800", "b": "\\ud83d\\ude00"}');
    assert.deepEqual(parsed, {
      kind: 'object',
      value: { a: '\ufffd', b: '😀' },
      text: '{"a":"\ufffd","b":"😀"}',
    });
  });
});

describe('src/agent/split-reply.ts', () => {
  const split = (content: string | null, rest: Record<string, string> = {}) => {
    const { thinking, text } = splitReply({ role: 'assistant', content, ...rest });
    return [thinking, text];
  };

  it('tells thinking from text (D10)', () => {
    assert.deepEqual(split('text'), ['', 'text']);
    assert.deepEqual(split(null, { reasoning: 'a', reasoning_content: 'b' }), ['b\na', '']);
    assert.deepEqual(split('\n<think>a</think>text </think>'), ['a', 'text </think>']);
    assert.deepEqual(split('<think>never closed'), ['never closed', '']);
    assert.deepEqual(split('a\n</think>\ntext'), ['a\n', '\ntext']);
    assert.deepEqual(split('I removed a stray `</think>` tag.'), ['', 'I removed a stray `</think>` tag.']);
    assert.deepEqual(split('a\n</think>\nb', { reasoning: 'r' }), ['r', 'a\n</think>\nb']);
  });
});

describe('src/agent/call-recovery.ts', () => {
  const call = (inner: string) => `<function=Write>\n${inner}\n</function>`;

  it('keeps a value that holds the closing tag, and its blanks (D05)', () => {
    const value = '  first </parameter> second\n\n';
    const found = recoverCalls(
      call(`<parameter=content>\n${value}\n</parameter>\n<parameter=file_path>\na\n</parameter>`),
    );
    assert.deepEqual(JSON.parse(found?.calls[0]?.arguments ?? ''), { content: value, file_path: 'a' });
  });

  it('reads several calls, and stray closing tags between', () => {
    const one = call('<parameter=file_path>\na\n</parameter>');
    const found = recoverCalls(
      `Both:\n${one}\n</tool_call>\n<tool_call>{"name": "Read", "parameters": {}}</tool_call>\n`,
    );
    assert.deepEqual(
      found?.calls.map(({ name, arguments: args }) => [name, args]),
      [
        ['Write', '{"file_path":"a"}'],
        ['Read', '{}'],
      ],
    );
    assert.equal(found?.prose, 'Both:');
  });

  it('marks what is incomplete', () => {
    const incomplete = [
      '<tool_call>',
      '<tool_call>\n{"name": "Read"',
      '<function=Read>',
      '<function=',
      call('<parameter=a>x'),
    ];
    for (const text of incomplete) assert.equal(recoverCalls(text)?.calls[0]?.arguments, null, text);
  });
});
