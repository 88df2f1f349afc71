import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { createBoard, showList } from '../../../../src/commands/try/show-list.ts';
import type { RunEvent } from '../../../../src/store/types.ts';
import { type Told, toEvents, WHOLE_RUN } from '../run-diary.ts';

async function* streamOf(told: readonly Told[]): AsyncGenerator<RunEvent> {
  for (const event of toEvents(told)) {
    yield event;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** What a screen of 100 columns got. */
async function screenOf(told: readonly Told[]): Promise<string> {
  let text = '';
  const stream = Object.assign(new PassThrough(), { columns: 100, rows: 40, isTTY: true });
  stream.on('data', (piece) => {
    text += String(piece);
  });
  await showList(streamOf(told), stream as unknown as NodeJS.WriteStream);
  return text;
}

describe('src/commands/try/show-list.ts', () => {
  test('the screen ends with a line for each stage', async () => {
    const screen = await screenOf(WHOLE_RUN);
    for (const line of [
      'issue #1 labelled by alice',
      '9 turns, ended by itself',
      '1 fixed, 0 broken',
      'draft #2',
    ]) {
      assert.ok(screen.includes(line), line);
    }
  });

  test('a stage that was refused ends the list without an error of its own', async () => {
    const screen = await screenOf([['admission', 'refused', { refusal: 'policy_missing' }]]);
    assert.match(screen, /refused: refusal policy_missing/);
  });

  test('a stage that is passed over does not hold up those behind it', async () => {
    const board = createBoard();
    const reading = board.read(streamOf([['agent', 'finished', {}]]));
    assert.equal(await board.follow('admission', () => {}), 'skipped');
    assert.equal(await board.follow('agent', () => {}), 'done');
    assert.equal(await board.follow('publish', () => {}), 'skipped');
    await reading;
  });

  test('a stage under way tells its turns', async () => {
    const board = createBoard();
    const lines: string[] = [];
    const following = board.follow('agent', (line) => lines.push(line));
    await board.read(streamOf(WHOLE_RUN));
    assert.equal(await following, 'done');
    assert.ok(
      lines.some((line) => /^agent +turn 3 of at most 30$/.test(line)),
      lines.join('\n'),
    );
  });

  test('when the events break off, everything that waits is told', async () => {
    const board = createBoard();
    const broken = (async function* () {
      yield* toEvents([['admission', 'started', {}]]);
      throw new Error('store went away');
    })();
    const following = board.follow('agent', () => {});
    await assert.rejects(board.read(broken), /store went away/);
    assert.equal(await following, 'skipped');
  });
});
