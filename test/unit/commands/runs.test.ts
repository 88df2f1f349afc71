import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { listRuns } from '../../../src/commands/runs.ts';
import type { Run } from '../../../src/store/types.ts';
import { createRun } from './run-diary.ts';
import { createTerminal } from './terminal.ts';

const OPENED = createRun({
  id: 'r_02',
  state: 'ended',
  outcome: 'pr_opened',
  published: {
    branch: 'b',
    commit: 'c',
    draft: { number: 2, webUrl: 'https://git.example.com/acme/calc/pull/2' },
  },
});
const REFUSED = createRun({
  id: 'r_03',
  state: 'ended',
  outcome: 'refused',
  outcomeDetails: { refusal: 'permission_too_low', found: '\u001b[31mread\nnothing' },
});

async function list(runs: readonly Run[], options = { limit: 5, json: false }) {
  const terminal = createTerminal();
  const asked: number[] = [];
  const store = {
    listRuns: async ({ limit }: { readonly limit: number }) => {
      asked.push(limit);
      return runs;
    },
  };
  const exitCode = await listRuns(store, options, terminal);
  return { exitCode, asked, ...terminal.kept };
}

describe('src/commands/runs.ts', () => {
  test('shows one line a run, in columns', async () => {
    const { out, exitCode, asked } = await list([OPENED, createRun()]);
    assert.equal(exitCode, 0);
    assert.deepEqual(asked, [5]);
    assert.equal(
      out,
      [
        'run   made              issue         state   ended as   because  draft',
        'r_02  2026-01-02 03:04  acme/calc#42  ended   pr_opened  –        https://git.example.com/acme/calc/pull/2',
        'r_01  2026-01-02 03:04  acme/calc#42  queued  –          –        –',
        '',
      ].join('\n'),
    );
  });

  test('says why a run ended, without letting that text act on the terminal', async () => {
    const { out } = await list([REFUSED]);
    assert.match(out, /refused +refusal permission_too_low, found read nothing +–\n$/);
    assert.doesNotMatch(out, /\u001b/);
  });

  test('tells nothing of the issue’s text', async () => {
    for (const json of [false, true]) {
      const { out } = await list([OPENED], { limit: 1, json });
      assert.doesNotMatch(out, /nobody’s business|A body/);
    }
  });

  test('as JSON, one object a line', async () => {
    const { out } = await list([OPENED, REFUSED], { limit: 2, json: true });
    const [first, second] = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(first.draft, 'https://git.example.com/acme/calc/pull/2');
    assert.equal(first.askedBy, 'alice');
    assert.equal(second.details.found, 'read\nnothing');
  });

  test('without runs standard output stays empty', async () => {
    const { out, err } = await list([]);
    assert.deepEqual([out, err], ['', 'There are no runs yet.\n']);
  });
});
