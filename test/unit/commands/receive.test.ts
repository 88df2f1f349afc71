import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { type Delivery, readDelivery, receive } from '../../../src/commands/receive.ts';
import type { Run } from '../../../src/store/types.ts';
import { createDiary } from './run-diary.ts';
import { createTerminal } from './terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'tadpole-receive-'));
after(() => rmSync(folder, { recursive: true }));

function file(name: string, content: unknown): string {
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return join(folder, name);
}

async function run(ended: Partial<Run>) {
  const terminal = createTerminal();
  const deliveries: Delivery[] = [];
  const parts = {
    store: createDiary([['admission', 'finished', { note: '\u001b[2Jhidden' }]], ended),
    deliver: async (delivery: Delivery) => {
      deliveries.push(delivery);
      return { runId: 'r_01' };
    },
  };
  const path = file('issues.labeled.json', { action: 'labeled' });
  const exitCode = await receive(path, parts, { terminal, signal: new AbortController().signal });
  return {
    exitCode,
    deliveries,
    lines: terminal.kept.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  };
}

describe('src/commands/receive.ts', () => {
  test('a payload alone is a delivery of the event that its file is named after', async () => {
    const { event, payload, id } = await readDelivery(file('issues.labeled.json', { action: 'labeled' }));
    assert.deepEqual([event, payload], ['issues', { action: 'labeled' }]);
    assert.match(id, /^[0-9a-f-]{36}$/);
  });

  test('an envelope names event and id itself', async () => {
    const delivery = { event: 'issue_comment', id: 'abc', payload: { action: 'created' } };
    assert.deepEqual(await readDelivery(file('x.json', delivery)), delivery);
  });

  for (const content of ['{', '[]', '"text"', '']) {
    test(`a file with ${content || 'nothing'} in it is refused by name`, async () => {
      await assert.rejects(readDelivery(file('bad.json', content)), { code: 'config_invalid' });
    });
  }

  test('a file that is not there is refused by name', async () => {
    await assert.rejects(readDelivery(join(folder, 'gone.json')), /gone\.json can't be read/);
  });

  test('the run is followed to its end, which the last line names', async () => {
    const { exitCode, lines, deliveries } = await run({ outcome: 'no_changes' });
    assert.equal(exitCode, 0);
    assert.equal(deliveries.length, 1);
    assert.deepEqual(lines.at(-1), { run: 'r_01', outcome: 'no_changes', details: {}, draft: null });
    assert.equal(lines[0].note, 'hidden');
  });

  test('a faulted run is a failure', async () => {
    assert.equal((await run({ outcome: 'faulted', outcomeDetails: { fault: 'internal' } })).exitCode, 1);
  });

  test('a delivery that asks for nothing is told as ignored', async () => {
    const terminal = createTerminal();
    const parts = { store: createDiary([]), deliver: async () => ({ ignored: 'not our label' }) };
    const place = { terminal, signal: new AbortController().signal };
    assert.equal(await receive(file('issues.json', {}), parts, place), 0);
    assert.equal(terminal.kept.out, '{"ignored":"not our label"}\n');
  });
});
