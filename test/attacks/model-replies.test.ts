import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTurn } from '../../src/agent/read-turn.ts';
import { parseReply } from '../../src/model/reply.ts';
import { runScript } from '../fakes/agent-world.ts';
import { calls, completion } from '../fakes/model-server.ts';
import { randomText, seeded } from '../fakes/python.ts';
import { findViolations } from '../fakes/strict-history.ts';

const MARKUP = [
  '<tool_call>',
  '</tool_call>',
  '<function=Bash>',
  '</function>',
  '<parameter=command>',
  '</parameter>',
  '<think>',
  '</think>',
];
const JSON_BITS = [
  '{',
  '}',
  '[',
  ']',
  '"',
  '"name"',
  '"arguments"',
  ':',
  ',',
  '"command"',
  '"Bash"',
  'null',
  '1e999',
  '\\',
  '\\ud800',
];
const TEXT_BITS = ['\n', ' ', 'ls', '```', '    ', '<|im_start|>', '\0', '\ud83d', 'é', '😀', '--', '> '];
const PIECES = [...MARKUP, ...JSON_BITS, ...TEXT_BITS];
const FINISH = ['stop', 'tool_calls', 'length', 'weird', null, 7];

/** A value that a broken server might send in place of another. */
function randomValue(random: () => number, depth = 0): unknown {
  const kind = Math.floor(random() * (depth > 3 ? 6 : 8));
  if (kind === 0) return null;
  if (kind === 1) return random() * 1e6;
  if (kind === 2) return random() < 0.5;
  if (kind <= 5) return randomText(random, PIECES, 12);
  if (kind === 6) return Array.from({ length: 3 }, () => randomValue(random, depth + 1));
  return {
    name: randomValue(random, depth + 1),
    function: randomValue(random, depth + 1),
    text: randomValue(random, depth + 1),
  };
}

function randomCall(random: () => number): unknown {
  if (random() < 0.1) return randomValue(random);
  const args = random() < 0.5 ? randomText(random, JSON_BITS, 10) : '{"command": "ls"}';
  const name = random() < 0.7 ? 'Bash' : randomText(random, PIECES, 3);
  return {
    id: random() < 0.5 ? 'call_0' : randomValue(random),
    function: { name, arguments: random() < 0.1 ? randomValue(random) : args },
  };
}

function randomReply(random: () => number): unknown {
  if (random() < 0.05) return randomValue(random);
  const text = () => (random() < 0.2 ? randomValue(random) : randomText(random, PIECES, 20));
  const message = {
    content: text(),
    ...(random() < 0.4 ? { reasoning: text() } : {}),
    ...(random() < 0.4 ? { reasoning_content: text() } : {}),
    ...(random() < 0.5
      ? { tool_calls: Array.from({ length: Math.floor(random() * 4) }, () => randomCall(random)) }
      : {}),
  };
  return {
    choices: [{ message, finish_reason: FINISH[Math.floor(random() * FINISH.length)] }],
    usage: randomValue(random),
  };
}

describe('src/model and src/agent: 50,000 replies of a broken server (T43)', () => {
  it('are read without a crash, and leave a history that strict servers accept', async () => {
    const random = seeded(11);
    let usable = 0;
    for (let count = 0; count < 50_000; count += 1) {
      if (count % 500 === 0) await new Promise(setImmediate);
      const reply = parseReply(JSON.parse(JSON.stringify(randomReply(random))));
      if (reply === null) continue;
      usable += 1;
      const turn = readTurn(
        { ...reply, durationMs: 0 },
        { toolNames: ['Bash'], turn: count, usedIds: new Set() },
      );
      const answers = turn.calls.map(({ call }) => ({ role: 'tool', tool_call_id: call.id, content: '' }));
      const violations = findViolations(JSON.stringify({ messages: [turn.message, ...answers] }));
      assert.deepEqual(violations, [], JSON.stringify(turn.message));
      assert.ok(JSON.stringify(turn.message).isWellFormed());
      if (turn.kind === 'calls')
        for (const { args } of turn.calls) assert.ok(args === null || typeof args === 'object');
    }
    assert.ok(usable > 30_000, String(usable));
  });

  it('end a run within its budget, whatever they are', async () => {
    const random = seeded(13);
    for (let run = 0; run < 25; run += 1) {
      const ran = await runScript([], {
        always: () => ({ body: randomReply(random) }),
        limits: { steps: 12 },
      });
      assert.ok(ran.end.turns <= 12);
      assert.deepEqual(ran.server.violations, []);
    }
  });
});

describe('src/model and src/agent: single replies made to hurt (T43)', () => {
  const MEGA = 1_000_000;
  const cases: Readonly<Record<string, () => Record<string, unknown>>> = {
    'a tool name of 1 MB': () => ({
      tool_calls: [{ id: 'a', function: { name: 'x'.repeat(MEGA), arguments: '{}' } }],
    }),
    'a call id of 1 MB': () => ({
      tool_calls: [{ id: 'x'.repeat(MEGA), function: { name: 'Bash', arguments: '{}' } }],
    }),
    'arguments nested 100,000 deep': () => ({
      tool_calls: [
        {
          id: 'a',
          function: { name: 'Bash', arguments: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}` },
        },
      ],
    }),
    'argument text of open quotes': () => ({
      tool_calls: [{ id: 'a', function: { name: 'Bash', arguments: '"\\'.repeat(MEGA) } }],
    }),
    '20,000 calls': () => ({
      tool_calls: Array.from({ length: 20_000 }, () => ({
        id: 'a',
        function: { name: 'Bash', arguments: '{}' },
      })),
    }),
    'opening tags without end': () => ({ content: '<tool_call>\n'.repeat(MEGA / 12) }),
    'functions without end': () => ({ content: '<function=Bash>\n<parameter=a>\n'.repeat(MEGA / 30) }),
    'closing parameters without end': () => ({
      content: `<function=Bash>\n<parameter=a>${'</parameter> x'.repeat(MEGA / 14)}`,
    }),
    'think tags without end': () => ({ content: '<think>'.repeat(MEGA / 7) }),
    'fences without end': () => ({ content: '```\n'.repeat(MEGA / 4) }),
    'blanks without end': () => ({ content: `<tool_call>${' '.repeat(MEGA)}` }),
    'half special tokens without end': () => ({ content: '<|'.repeat(MEGA / 2) }),
  };

  for (const [name, message] of Object.entries(cases)) {
    it(`survives ${name}`, async () => {
      const begin = performance.now();
      const ran = await runScript([completion(message(), 'stop')], {
        always: calls(['Bash', { command: 'x' }]),
        limits: { steps: 2 },
      });
      assert.ok(ran.end.turns <= 2 && ran.end.exitReason !== 'llm_query_error', ran.end.exitReason);
      assert.deepEqual(ran.server.violations, []);
      assert.ok(performance.now() - begin < 5_000, `${performance.now() - begin} ms`);
      assert.ok((ran.server.received.at(-1)?.text.length ?? 0) < 5 * MEGA);
    });
  }
});
