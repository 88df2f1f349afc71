/** T23: nothing that strangers or the model wrote makes a forge or a bot act, wherever it stands in what we write. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Run } from '../../src/store/types.ts';
import { checkRun } from '../../src/texts/check.ts';
import { draftBody, draftTitle } from '../../src/texts/draft.ts';
import { endedText } from '../../src/texts/status.ts';
import { findReactions, REACTIONS, viewMarkdown } from '../fakes/markdown-view.ts';
import { changed, fileChange, run, suite, testCase, verification, worked } from '../fixtures/runs.ts';

const TRIGGERS = [
  '/lgtm',
  '/approve',
  '  /merge',
  '> /retest',
  '/label bug',
  '/assign @bob',
  '/close',
  '/azp run',
  '/cc @org/team',
  '@dependabot merge',
  '@dependabot rebase',
  '@mergify queue',
  '@bors r+',
  'bors r+',
  '@renovate rebase',
  '@org/team',
  '@bob please look',
  '(@bob)',
  '"@bob"',
  '＠bob',
  '@bob\u200b',
  'a\u200d@bob',
  'fixes #1',
  'Fixes: #1',
  'closes #1, closes #2',
  'CLOSED octo/pond#2',
  'resolve GH-3',
  'fix\u00a0#4',
  'fixes\n#5',
  'resolves https://git.corp/octo/pond/issues/6',
  '**fixes** #7',
  '[skip ci]',
  '[ci skip]',
  '[no ci]',
  '***NO_CI***',
  'skip-checks: true',
  '::set-output name=x::y',
  '##[group]x',
  '<!-- tadpole:run=r_01J -->',
  '<img src="https://evil.example/x.png">',
  '![x](https://evil.example/x.png)',
  '[x](https://evil.example)',
  '<https://evil.example>',
  'www.evil.example',
  '<script>alert(1)</script>',
  '<a href="javascript:alert(1)">x</a>',
  '</details></details><h1>Approved</h1>',
  '```\n/lgtm\n@bob\n```',
  '`` ` ``` ```` @bob',
  '| a | b |\n|---|---|\n| @bob | /lgtm |',
  '\u001b]8;;https://evil.example\u0007x\u001b]8;;\u0007',
  '\u202e/lgtm',
  '\r/lgtm',
  '~~~\n/lgtm\n~~~',
  '&#64;bob',
] as const;

/** A run in which every field that a stranger or the model can write holds the text. */
function hostileRun(text: string): Run {
  const base = run();
  const id = `tests/${text}::x`;
  const comparison = {
    fixed: [id],
    broken: [id],
    stillFailing: [id],
    stillPassing: [id],
    new: [{ id, status: 'failed' as const }],
    vanished: [id],
    nowSkipped: [id],
    stillSkipped: [id],
  };
  const found = verification({
    verdict: 'regression',
    patched: suite([testCase(id, 'failed', `x\n${text}\ny`)], {
      state: 'report_invalid',
      outputTail: `x\n${text}`,
    }),
    comparison,
  });
  const work = worked({
    change: changed([fileChange(text), fileChange(`a/${text}`)], [JSON.stringify(text), text]),
    verification: found,
  });
  return {
    ...base,
    trigger: { ...base.trigger, title: text, label: text },
    worked: { ...work, agent: { ...work.agent, lastWords: `${text}\n${text}`, model: text } },
  };
}

/** Every text that we would write about such a run. */
function textsFor(text: string): readonly string[] {
  const hostile = hostileRun(text);
  const details = {
    code: 'push_rejected',
    said: text,
    text,
    fault: text,
    path: text,
    problems: text,
    branch: text,
    login: text,
  };
  const none = { ...hostile.worked!, change: { kind: 'none' as const, ignored: 0 } };
  const refusedChange = {
    ...hostile.worked!,
    change: { kind: 'refused' as const, problems: [text, `${JSON.stringify(text)} is denied`] },
  };
  return [
    draftBody(hostile),
    checkRun(hostile)!.summary,
    endedText(hostile),
    endedText({ ...hostile, outcome: 'no_changes', worked: none }),
    endedText({ ...hostile, outcome: 'change_refused', worked: refusedChange }),
    endedText({ ...hostile, outcome: 'publish_refused', outcomeDetails: details }),
    endedText({ ...hostile, outcome: 'refused', outcomeDetails: { ...details, code: 'policy_invalid' } }),
    endedText({ ...hostile, outcome: 'refused', outcomeDetails: { ...details, code: text } }),
    endedText({ ...hostile, outcome: 'faulted', outcomeDetails: details }),
  ];
}

/** The one mention and the one reference that are ours. */
const withoutOurs = (text: string) =>
  text.replaceAll('asked by @alice', '').replaceAll(/Draft for #42|draft: #318/g, '');

describe('attacks on texts: triggers (T23)', () => {
  test('the bots of this test react to the triggers as they are', () => {
    const seen = new Set(TRIGGERS.flatMap(findReactions));
    assert.deepEqual([...seen].sort(), Object.keys(REACTIONS).sort());
  });

  for (const trigger of TRIGGERS) {
    test(`${JSON.stringify(trigger)} makes nobody react`, () => {
      for (const text of textsFor(trigger)) {
        assert.deepEqual(findReactions(withoutOurs(text)), [], text);
        const { prose, activeTags, html } = viewMarkdown(withoutOurs(text));
        assert.deepEqual(activeTags, [], html);
        assert.doesNotMatch(prose, /(?<![A-Za-z0-9])[@＠]\w|#\d|GH-\d/, html);
      }
      const title = draftTitle(hostileRun(trigger));
      assert.match(title, /^\[broken tests\] [^\n]* \(#42\)$/);
      assert.deepEqual(findReactions(title.replace(' (#42)', '')), [], title);
      assert.doesNotMatch(title.replace(' (#42)', ''), /#\d|GH-\d/, title);
    });
  }

  test('a block of ours stays open and closed as we wrote it', () => {
    for (const trigger of TRIGGERS) {
      const { html } = viewMarkdown(draftBody(hostileRun(trigger)));
      const opened = html.match(/<details>/g)?.length;
      assert.equal(opened, html.match(/<\/details>/g)?.length);
      assert.equal(opened, 3, trigger);
    }
  });
});
