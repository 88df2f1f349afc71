import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { FAULTS } from '../../../src/errors.ts';

const document = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
const sections = new Map(
  document
    .split(/^## /m)
    .slice(1)
    .map((section) => [/^`(\w+)`/.exec(section)?.[1] ?? section.slice(0, 30), section] as const),
);

describe('docs/errors.md', () => {
  test('has a section for each code of the catalogue, in its order, and for nothing else', () => {
    assert.deepEqual([...sections.keys()], Object.keys(FAULTS));
  });

  for (const [code, { retryable, publicText }] of Object.entries(FAULTS)) {
    test(`${code}: says whether it is retried, what people read, what it means and what to do`, () => {
      const section = sections.get(code) ?? '';
      assert.ok(section.includes(`Retried: ${retryable ? 'yes' : 'no'}.`), 'Retried: …');
      assert.ok(section.includes(`People read: “${publicText}”.`), `People read: “${publicText}”.`);
      assert.match(section, /^\*\*Means\*\*: \S.{10,}$/m);
      assert.match(section, /^\*\*Do\*\*: \S.{10,}$/m);
    });
  }
});
