import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { byteLength } from '../../../src/clip.ts';
import {
  escaped,
  fenced,
  fencedProse,
  inline,
  mention,
  plain,
  sentence,
} from '../../../src/texts/markdown.ts';
import { viewMarkdown } from '../../fakes/markdown-view.ts';

describe('src/texts/markdown.ts', () => {
  describe('inline', () => {
    const CASES: readonly (readonly [string, string, string])[] = [
      ['plain text', 'tests/a.py::test_b', '`tests/a.py::test_b`'],
      ['one backtick', 'a`b', '``a`b``'],
      ['three backticks', 'a```b', '````a```b````'],
      ['a backtick at the edge', '`a', '`` `a ``'],
      ['line breaks', 'a\r\nb\u2028c', '`a b c`'],
      ['nothing', ' \u200b\u202e ', '(empty)'],
      ['a mention', 'ask @alice', '`ask @ alice`'],
      ['a mail address', 'a@example.org', '`a@example.org`'],
      ['a wide mention', 'ask ＠alice', '`ask @ alice`'],
      ['a team', '@org/team', '`@ org/team`'],
      ['a closing keyword', 'fixes #1', '`fixes # 1`'],
      ['a closing keyword of another repository', 'Closes: octo/pond#2', '`Closes: octo/pond# 2`'],
      ['a closing keyword with GH', 'resolved GH-3', '`resolved GH- 3`'],
      ['an address', 'see https://evil.example/x?a=b now', '`see (redacted) now`'],
      ['a hidden comment', '<!-- tadpole:run=r_1 -->', '`<! -- tadpole:run=r_1 -- >`'],
    ];
    for (const [name, text, expected] of CASES) {
      test(`shows ${name} as one inert code span`, () => {
        assert.equal(inline(text), expected);
        const { prose, activeTags } = viewMarkdown(`before ${inline(text)} after`);
        const shown = expected === '(empty)' ? 'before (empty) after' : 'before after';
        assert.equal(prose.trim().replace(/\s+/g, ' '), shown);
        assert.deepEqual(activeTags, []);
      });
    }

    test('stays within its bytes, between graphemes', () => {
      const shown = inline('👩‍👩‍👧‍👦'.repeat(40), 60);
      assert.equal(shown, `\`${'👩‍👩‍👧‍👦'.repeat(2)}…\``);
    });
  });

  describe('fenced', () => {
    test('has a fence that is longer than any inside', () => {
      assert.equal(fenced('a\n````\nb', 200), '`````text\na\n````\nb\n`````');
    });

    test('keeps tildes, details and HTML inside the block', () => {
      const view = viewMarkdown(fenced('~~~\n</details>\n<img src=x>\n```\n[a](b)', 500));
      assert.equal(view.prose.trim(), '');
      assert.deepEqual(view.activeTags, []);
    });

    test('keeps head and tail of a long text and says what is missing', () => {
      const block = fenced(`first line\n${'x'.repeat(50_000)}\nlast line`, 1_000);
      assert.match(block, /^```text\nfirst line\n/);
      assert.match(block, /\nlast line\n```$/);
      assert.match(block, /\[… [\d,]+ bytes left out …\]/);
      assert.ok(byteLength(block) <= 1_000 + 16);
    });

    test('takes the command out of a line that only the cut made one', () => {
      for (let pad = 0; pad < 40; pad += 1) {
        const block = fenced(`${'a'.repeat(2_000)}${'b'.repeat(pad)} /lgtm ${'c'.repeat(600)}`, 1_000);
        assert.doesNotMatch(block, /^\s*\/lgtm/m);
      }
    });

    test('stays within its bytes when breaking up makes the text longer', () => {
      const block = fenced(Array.from({ length: 2_000 }, () => '/a').join('\n'), 1_000);
      assert.ok(byteLength(block) <= 1_000 + 16, String(byteLength(block)));
    });
  });

  test('prose loses runs that look like encoded data', () => {
    assert.match(
      fencedProse('see 9f8e7d6c5b4a39281706f5e4d3c2b1a0 there', 200),
      /\nsee \(redacted\) there\n/,
    );
  });

  describe('plain', () => {
    const CASES: readonly (readonly [string, string])[] = [
      ['Fix the total (see #12)', 'Fix the total (see # 12)'],
      ['octo/pond#3 again', 'octo/pond# 3 again'],
      ['GH-7: crash', 'GH- 7: crash'],
      ['[skip ci] crash', 'skip ci crash'],
      ['crash ***NO_CI***', 'crash NO_CI'],
      ['crash skip-checks: true', 'crash skip-checks true'],
      ['/lgtm crash', '· /lgtm crash'],
      ['crash for @alice and @org/team', 'crash for @ alice and @ org/team'],
      ['crash\u202e at \u001b[31mred\u001b[0m', 'crash at red'],
      ['List<String> & co', 'List<String> & co'],
      ['C# and F#', 'C# and F#'],
    ];
    for (const [text, expected] of CASES) {
      test(`makes of ${JSON.stringify(text)}: ${expected}`, () => assert.equal(plain(text, 200), expected));
    }
  });

  describe('escaped', () => {
    for (const text of [
      '**bold** _it_ ~~s~~ `c`',
      '<img src=x> <script>',
      '[a](b) ![a](b) [a]: b',
      '- item',
      '1. item',
      '= x',
      '+ x',
      'a | b',
      '&lt; &amp;',
      '\\*a\\*',
    ]) {
      test(`leaves no Markdown in ${text}`, () => {
        const { html } = viewMarkdown(escaped(text));
        const shown = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
        assert.equal(html, `<p>${shown}</p>\n`);
      });
    }
  });

  test('a sentence shows quoted names as code and keeps our own words', () => {
    assert.equal(
      sentence('"a`b\\n@x.yml" is among the paths that the policy denies (`paths.deny`)'),
      '``a`b @ x.yml`` is among the paths that the policy denies (`paths.deny`)',
    );
    assert.equal(sentence('"not closed and _more_'), '"not closed and \\_more\\_');
  });

  test('mentions a plain login only', () => {
    assert.equal(mention('alice'), '@alice');
    assert.equal(mention('alice-b_corp'), '@alice-b_corp');
    assert.equal(mention('org/team'), '`org/team`');
    assert.equal(mention('a] @bob'), '`a] @ bob`');
  });
});
