import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTurns } from '../../../src/store/turns.ts';

describe('src/store/turns.ts', () => {
  it('gives turns in the order in which they were asked for', async () => {
    const turns = createTurns();
    const clients = ['a', 'b', 'c'].map((name) => ({ name }));
    const order: string[] = [];
    const all = clients.map(async (client) => {
      await turns.take(client);
      order.push(client.name);
      await new Promise(setImmediate);
      turns.give(client);
    });
    await Promise.all(all);
    assert.deepEqual(order, ['a', 'b', 'c']);
  });

  it('lets the holder go on without waiting for others', async () => {
    const turns = createTurns();
    const [holder, other] = [{}, {}];
    await turns.take(holder);
    let otherHasIt = false;
    const waiting = turns.take(other).then(() => {
      otherHasIt = true;
    });
    await turns.take(holder);
    assert.equal(otherHasIt, false);
    turns.give(holder);
    await waiting;
  });

  it('skips whoever left while waiting', async () => {
    const turns = createTurns();
    const [holder, leaver, last] = [{}, {}, {}];
    await turns.take(holder);
    void turns.take(leaver);
    const waiting = turns.take(last);
    turns.give(leaver);
    turns.give(holder);
    await waiting;
  });
});
