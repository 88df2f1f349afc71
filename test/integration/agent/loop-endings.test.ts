import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Ran, runScript } from '../../fakes/agent-world.ts';
import { calls, completion, says, toolCall } from '../../fakes/model-server.ts';

const lastRequest = ({ server }: Ran) => JSON.parse(server.received.at(-1)?.text ?? '{}');
const lastMessage = (ran: Ran) => lastRequest(ran).messages.at(-1);

describe('src/agent/loop.ts at its ends', () => {
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
