/** T17: what a model read somewhere does not leave through its words, however it writes it down. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSecrets } from '../../src/secrets.ts';
import { draftBody } from '../../src/texts/draft.ts';
import { endedText } from '../../src/texts/status.ts';
import { ENCODINGS } from '../fixtures/encodings.ts';
import { run, worked } from '../fixtures/runs.ts';

const SECRET = 'ghs_7Kq2ZxW9bT4mVn8RcY5uLd3PjH6sFa1EoQgB';

/** The texts that hold the model's words, as they leave: redacted last, as everything that leaves is. */
function textsWith(words: string): readonly string[] {
  const secrets = createSecrets();
  secrets.register(SECRET);
  const { agent, ...others } = worked();
  const work = { ...others, agent: { ...agent, lastWords: words } };
  const none = { ...work, change: { kind: 'none' as const, ignored: 0 } };
  const texts = [draftBody(run({ worked: work })), endedText(run({ outcome: 'no_changes', worked: none }))];
  return texts.map((text) => secrets.redact(text));
}

/** Whether a text holds so much of an encoded secret that the rest could be guessed: a quarter of it in one piece. */
function holds(text: string, encoded: string): boolean {
  const squeeze = (whole: string) => whole.replace(/\s/g, '');
  const [hay, needle] = [squeeze(text), squeeze(encoded)];
  const size = Math.max(8, Math.floor(needle.length / 4));
  for (let at = 0; at + size <= needle.length; at += 1)
    if (hay.includes(needle.slice(at, at + size))) return true;
  return false;
}

describe('attacks on texts: secrets (T17)', () => {
  test('there are sixty ways to write it down', () => assert.equal(Object.keys(ENCODINGS).length, 60));

  for (const [name, encode] of Object.entries(ENCODINGS)) {
    test(`a secret as ${name} does not leave`, () => {
      const encoded = encode(SECRET);
      for (const words of [
        encoded,
        `The value is ${encoded} as found.`,
        `I fixed it.\n\n${encoded}\n\nDone.`,
      ]) {
        for (const text of textsWith(words)) assert.ok(!holds(text, encoded), text.slice(-600));
      }
    });
  }

  test('an honest explanation stays as it is', () => {
    const words = [
      'I changed `CalculatorService.computeTotal` in src/services/calculator/total_service.py to start at index 0.',
      'The off-by-one came from range(1, len(rows)); tests/unit/test_calculator_totals.py::TestTotals::test_first_row covers it.',
      'It is not so that we do as we did: if a or b is 1, 2 or 3, it is ok. Steps: 1. read, 2. edit, 3. run.',
      'See IEEE 754-2008, RFC 9110, Python 3.11.2, numpy 1.26.4 and the constant MAX_ROWS_PER_REQUEST_BEFORE_PAGINATION.',
      'Expected [1, 2, 3, 4, 5] but got [2, 3, 4, 5].',
    ].join('\n');
    const [draft] = textsWith(words);
    assert.ok(draft?.includes(words), draft);
  });
});
