import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parsePushAnswer } from '../../../src/publish/push-answer.ts';

const REF = `${'a'.repeat(40)}:refs/heads/tadpole/issue-1-x`;

describe('src/publish/push-answer.ts', () => {
  const table: [string, string, string][] = [
    ['a new branch', `To https://h/x\n*\t${REF}\t[new branch]\nDone\n`, 'done'],
    ['a branch that has our commit', `To https://h/x\n=\t${REF}\t[up to date]\nDone\n`, 'done'],
    [
      'a branch that has another',
      `To https://h/x\n!\t${REF}\t[rejected] (stale info)\nDone\n`,
      'branch_taken',
    ],
    [
      'a server that does not know the base',
      `!\t${REF}\t[remote rejected] (shallow update not allowed)\n`,
      'needs_history',
    ],
    ['a race', `!\t${REF}\t[remote rejected] (failed to update ref)\n`, 'raced'],
    [
      'a race for the lock',
      `!\t${REF}\t[remote rejected] (cannot lock ref 'refs/heads/x': reference already exists)\n`,
      'raced',
    ],
    ['a hook', `!\t${REF}\t[remote rejected] (pre-receive hook declined)\n`, 'push_rejected'],
    ['nothing', '', 'unknown'],
    ['another branch', `*\t${'a'.repeat(40)}:refs/tags/x\t[new tag]\n`, 'unknown'],
    ['text that only looks like a status', `remote: *\t${REF}\t[new branch]\n`, 'unknown'],
  ];
  for (const [name, stdout, expected] of table) {
    it(name, () => {
      const answer = parsePushAnswer(stdout, '');
      assert.equal(answer.kind === 'refused' ? answer.code : answer.kind, expected);
    });
  }
});
