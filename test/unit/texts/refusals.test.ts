import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { REFUSALS, type RefusalCode } from '../../../src/admission/types.ts';
import { WITHDRAWALS } from '../../../src/publish/ask-again.ts';
import { PUSH_REFUSALS } from '../../../src/publish/push-answer.ts';
import { PUBLISH_TEXTS } from '../../../src/texts/publish-refusals.ts';
import { REFUSAL_TEXTS } from '../../../src/texts/refusals.ts';
import { findReactions, viewMarkdown } from '../../fakes/markdown-view.ts';

const DETAILS: Readonly<Partial<Record<RefusalCode, Readonly<Record<string, string>>>>> = {
  label_not_ours: { label: 'bug', expected: 'tadpole' },
  permission_too_low: { login: 'eve', permission: 'read' },
  policy_invalid: {
    path: '.github/tadpole.yml',
    branch: 'main',
    problems: 'line 7, column 3: `limits.minuts` is not a known key; did you mean `limits.minutes`?',
  },
  daily_cap: { cap: '20' },
  hourly_cap: { cap: '3' },
};

const say = (code: RefusalCode) => {
  const { why, mend } = REFUSAL_TEXTS[code](DETAILS[code] ?? {});
  return `**Tadpole did not start: ${why}.** ${mend}`;
};

describe('src/texts/refusals.ts', () => {
  test('who may not ask reads like this', () => {
    assert.equal(
      say('permission_too_low'),
      '**Tadpole did not start: @eve may not ask for a run here.** It needs write access to this repository; the forge says: read. Someone with write access can set the label.',
    );
  });

  test('a broken policy reads like this', () => {
    assert.equal(
      say('policy_invalid'),
      '**Tadpole did not start: the policy file has a mistake.** `.github/tadpole.yml` on `main`:\n\n```text\nline 7, column 3: `limits.minuts` is not a known key; did you mean `limits.minutes`?\n```\n\nMend it on the default branch and set the label again.',
    );
  });

  test('a missing policy comes with one to copy', () => {
    assert.match(say('policy_missing'), /```yaml\nlabel: tadpole\ntest:\n {2}command: /);
  });

  for (const code of REFUSALS) {
    test(`${code} says why and how to mend it, with and without its values`, () => {
      for (const details of [DETAILS[code] ?? {}, {}]) {
        const { why, mend } = REFUSAL_TEXTS[code](details);
        assert.match(why, /^[a-z@`].{10,}[^.]$/);
        assert.match(mend, /^[A-Z`](?:.|\n){20,}$/);
        assert.doesNotMatch(`${why} ${mend}`, /undefined|null|\(empty\)/);
      }
    });
  }

  test('publish has a text for every code that it stores, and for no other', () => {
    assert.deepEqual(Object.keys(PUBLISH_TEXTS).sort(), [...WITHDRAWALS, ...PUSH_REFUSALS].sort());
    for (const [code, text] of Object.entries(PUBLISH_TEXTS)) {
      const { why, mend } = text({ branch: 'tadpole/issue-1-x', said: 'GH006' });
      assert.match(why, /^[a-z].{10,}[^.]$/, code);
      assert.match(mend, /^[A-Z].{20,}/, code);
      assert.doesNotMatch(`${why}${mend}`, /undefined|null/, code);
    }
  });

  test('values of strangers stay inert in all of them', () => {
    const hostile = '@org/team fixes #1 <img src=http://e.example>\n/lgtm';
    const details = Object.fromEntries(
      ['label', 'expected', 'permission', 'path', 'branch', 'problems', 'cap', 'said', 'login'].map((key) => [
        key,
        hostile,
      ]),
    );
    for (const text of [...Object.values(REFUSAL_TEXTS), ...Object.values(PUBLISH_TEXTS)]) {
      const { why, mend } = text(details);
      const shown = `**Tadpole did not start: ${why}.** ${mend}`;
      assert.deepEqual(viewMarkdown(shown).activeTags, []);
      assert.deepEqual(findReactions(shown), []);
    }
  });
});
