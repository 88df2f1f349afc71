/** T45: what programs print never acts on a terminal or hides text, in what is stored and in what is shown. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { printable } from '../../src/printable.ts';
import { draftBody, draftTitle } from '../../src/texts/draft.ts';
import { endedText } from '../../src/texts/status.ts';
import { parseJunit } from '../../src/verification/junit.ts';
import { changed, fileChange, run, suite, testCase, verification, worked } from '../fixtures/runs.ts';

const CONTROLS =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/u;

const ESC = '\u001b';
const SEQUENCES: readonly string[] = [
  ...[
    '[31m',
    '[2J',
    '[H',
    '[1A',
    '[2K',
    '[?25l',
    '[?1049h',
    '[6n',
    '[c',
    '[>c',
    '[20t',
    '[!p',
    '[38;2;1;2;3m',
    '[1;1H',
    '[0K',
    '[s',
  ].map((end) => `${ESC}${end}`),
  ...[
    ']0;t\u0007',
    ']2;t\u001b\\',
    ']8;;http://e.example\u0007x',
    ']52;c;YQ==\u0007',
    ']1337;File=:AA\u0007',
    ']4;1;?\u0007',
    ']9;x\u0007',
    ']777;x\u0007',
    ']10;?\u0007',
    ']50;x\u0007',
  ].map((end) => `${ESC}${end}`),
  ...[
    'P$q\u001b\\',
    'P1;1|x\u001b\\',
    'P+q544e\u001b\\',
    'Xx\u001b\\',
    '^x\u001b\\',
    '_Gx\u001b\\',
    '_x',
    'P',
    ']',
    '[',
  ].map((end) => `${ESC}${end}`),
  ...['c', '7', '8', '=', '>', 'D', 'E', 'M', 'N', 'O', '#8', '(0', '%G', ' F', '~', '|'].map(
    (end) => `${ESC}${end}`,
  ),
  ...[
    '\u009b31m',
    '\u009d0;t\u009c',
    '\u0090q\u009c',
    '\u009e',
    '\u009f',
    '\u0084',
    '\u0085',
    '\u008d',
    '\u0098',
    '\u009c',
  ],
  ...['\r', '\b', '\u0007', '\0', '\u000b', '\u000c', '\u000e', '\u000f', '\u007f', '\u0011', '\u0013'],
  ...['\u202e', '\u2066', '\u200f', '\u061c', '\u2028', '\u2029', '\ufeff', '\u200b', '\u{e0041}', '\u00ad'],
];

describe('attacks on texts: terminals (T45)', () => {
  test(`none of ${SEQUENCES.length} sequences survives being taken in`, () => {
    assert.ok(SEQUENCES.length >= 60);
    for (const sequence of SEQUENCES) {
      const clean = printable(`before${sequence}after`);
      assert.doesNotMatch(clean, CONTROLS, JSON.stringify(sequence));
      assert.ok(clean.startsWith('before'), JSON.stringify(sequence));
    }
  });

  test('none survives in a report that is stored', () => {
    for (const sequence of SEQUENCES) {
      const xml = `<testsuite name="pytest"><testcase classname="t" name="a${sequence}b"><failure message="m${sequence}">${sequence}x</failure></testcase></testsuite>`;
      const parsed = parseJunit(xml);
      assert.equal(parsed.kind, 'parsed');
      for (const { id, message } of parsed.kind === 'parsed' ? parsed.tests : [])
        assert.doesNotMatch(`${id}${message}`, CONTROLS, JSON.stringify(sequence));
    }
  });

  test('none survives in a text that is shown, wherever it came in', () => {
    for (const sequence of SEQUENCES) {
      const text = `a${sequence}b`;
      const found = verification({
        patched: suite([testCase(text, 'failed', text)], { state: 'timed_out', outputTail: text }),
        comparison: { ...verification().comparison!, fixed: [text], broken: [text] },
      });
      const work = worked({ change: changed([fileChange(text)], [text]), verification: found });
      const { trigger } = run();
      const hostile = run({
        trigger: { ...trigger, title: text },
        worked: { ...work, agent: { ...work.agent, lastWords: text } },
      });
      for (const shown of [
        draftBody(hostile),
        draftTitle(hostile),
        endedText({ ...hostile, outcome: 'no_changes' }),
      ])
        assert.doesNotMatch(shown, CONTROLS, JSON.stringify(sequence));
    }
  });
});
