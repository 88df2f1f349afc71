/** E13: texts of any size become drafts and comments that a forge takes, cut where a reader would cut them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { byteLength } from '../../src/clip.ts';
import { draftBody, draftTitle } from '../../src/texts/draft.ts';
import { endedText } from '../../src/texts/status.ts';
import { viewMarkdown } from '../fakes/markdown-view.ts';
import { changed, fileChange, run, suite, testCase, verification, worked } from '../fixtures/runs.ts';

const MIB = 1024 * 1024;
const LIMIT = 65_536;

const FILLINGS: Readonly<Record<string, string>> = {
  letters: 'x',
  'four-byte characters': '😀',
  families: '👩‍👩‍👧‍👦',
  backticks: '`',
  fences: '```\n',
  'ends of details': '</details>\n',
  'open comments': '<!--',
  mentions: ' @bob',
  commands: '/lgtm\n',
  'lone surrogates': '\ud83d',
  'stacked marks': 'e\u0301\u0301\u0301\u0301\u0301\u0301',
  'line ends': '\r\n',
};

function hugeRun(filling: string) {
  const log = `FIRST LINE\n${filling.repeat(Math.ceil((5 * MIB) / filling.length))}\nLAST LINE`;
  const many = Array.from({ length: 3_000 }, (_, i) => `${i}${filling.repeat(300)}`);
  const tests = many.map((id) => testCase(id, 'failed', log));
  const found = verification({
    patched: suite(tests.slice(0, 40), { state: 'timed_out', outputTail: log }),
    base: suite([], { state: 'timed_out', outputTail: log }),
    reason: 'it was not measured',
    comparison: {
      ...verification().comparison!,
      fixed: many,
      broken: many,
      vanished: many,
      nowSkipped: many,
      stillFailing: many,
    },
    notTested: ['anything'],
  });
  const work = worked({
    change: changed(
      many.map((path) => fileChange(path)),
      many,
    ),
    verification: found,
  });
  const { trigger } = run();
  return run({
    trigger: { ...trigger, title: filling.repeat(256).slice(0, 256) },
    worked: { ...work, agent: { ...work.agent, lastWords: log, model: log } },
  });
}

function assertWithin(text: string, limit: number): void {
  assert.ok(byteLength(text) <= limit, `${byteLength(text)} bytes`);
  assert.ok(text.length <= limit);
  assert.ok(text.isWellFormed());
}

describe('attacks on texts: size (E13)', () => {
  for (const [name, filling] of Object.entries(FILLINGS)) {
    test(`5 MB of ${name} leave a draft and comments that a forge takes`, () => {
      const huge = hugeRun(filling);
      const body = draftBody(huge);
      assertWithin(body, LIMIT);
      assertWithin(draftTitle(huge), 256);
      assertWithin(endedText({ ...huge, outcome: 'no_changes' }), LIMIT);
      const problems = Array.from({ length: 1_000 }, () => filling.repeat(5_000));
      const refusedChange = { ...huge.worked!, change: { kind: 'refused' as const, problems } };
      assertWithin(endedText({ ...huge, outcome: 'change_refused', worked: refusedChange }), LIMIT);
      const details = { code: 'push_rejected', said: filling.repeat(MIB) };
      assertWithin(endedText({ ...huge, outcome: 'publish_refused', outcomeDetails: details }), LIMIT);

      const { html, activeTags } = viewMarkdown(body);
      assert.deepEqual(activeTags, []);
      assert.equal(html.match(/<details>/g)?.length, html.match(/<\/details>/g)?.length);
      assert.match(body, /Passing tests do not mean that this change is correct\./);
    });
  }

  test('a long log keeps its beginning and its end, with a note between', () => {
    const body = draftBody(hugeRun('x'));
    assert.match(body, /FIRST LINE\nx+\n\[… [\d,]+ bytes left out …\]\nx+\nLAST LINE/);
  });

  test('a title of 256 emoji is cut between two of them and keeps the issue', () => {
    const title = draftTitle(hugeRun('😀'));
    assert.match(title, /^(?:😀)+… \(#42\)$/u);
  });
});
