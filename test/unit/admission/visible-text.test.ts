import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toVisible } from '../../../src/admission/visible-text.ts';

const visible = (raw: string) => toVisible(raw).text;

describe('src/admission/visible-text.ts', () => {
  test('leaves what is seen as it is', () => {
    const text = [
      '# Heading\n\nA *paragraph* with `code` & <b>bold</b>, Map<String, int[]> and a [link](https://x.test/a).',
      '- one\n- two\n  1. three\n\n> quote\n> more',
      '| a | b |\n|---|---|\n| 1 | 2 |',
      'Setext\n===\n\n    indented <!-- seen -->\n\n***',
      '```html\n<!-- seen --><p title="seen">\n[x]: # (seen)\n```',
      'Emoji \u{1f468}\u200d\u{1f469}\u200d\u{1f467} and \u2764\ufe0f, \u00fcml\u00e4ut, \u4f60\u597d.',
    ].join('\n\n');
    assert.deepEqual(toVisible(text), { text, hidden: 0 });
  });

  const HID = 'HIDDEN';
  const carriers: readonly (readonly [string, string])[] = [
    ['a comment in a line', `a <!-- ${HID} --> b`],
    ['a comment of its own', `a\n\n<!-- ${HID}\n\n${HID} -->\n\nb`],
    ['a comment that never ends', `a\n\n<!-- ${HID}\n\nb ${HID}`],
    ['a comment in a quote', `> a <!-- ${HID}\n> ${HID} --> b`],
    ['a comment in a list', `- a\n  <!-- ${HID} -->\n- b`],
    ['a comment in a table', `| a | b |\n|---|---|\n| <!-- ${HID} --> | 2 |`],
    ['a comment behind the same in code', `a \`<!-- x -->\` <!-- x --> <!-- ${HID} -->`],
    ['a comment that begins in what looks like code', `a \` b\n<!-- ${HID} \` -->`],
    ['a comment between escaped ticks', `a \\\`<!-- ${HID} -->\\\``],
    ['a fence inside of HTML', `<div>\n\`\`\`\n<!-- ${HID} -->\n\`\`\`\n</div>\n\na`],
    ['a fence inside of pre', `<pre>\n\n\`\`\`\n<!-- ${HID} -->\n\`\`\`\n</pre>\n\na`],
    ['an instruction', `a <? ${HID} ?> b`],
    ['a declaration', `a <!ELEMENT ${HID}> b`],
    ['a CDATA section', `a <![CDATA[ ${HID} ]]> b`],
    ['an attribute', `a <span title="${HID}">b</span>`],
    ['an attribute of a tag that nobody knows', `a <x ${HID}> b`],
    ['an attribute of a block', `<details data-x="${HID}">\n<summary>a</summary>\n</details>`],
    ['a script', `<script>\n${HID}\n</script>\n\na`],
    ['a style', `<style>\n.${HID} {}\n</style>\n\na`],
    ['an image’s alternative', `a ![${HID}](x.png)`],
    ['an image’s title', `a ![b](x.png "${HID}")`],
    ['an image by HTML', `a <img alt="${HID}" src="x.png">`],
    ['a link’s title', `[a](https://x.test "${HID}")`],
    ['a definition that is a comment', `a\n\n[//]: # (${HID})`],
    ['a definition’s title', `[a][1]\n\n[1]: https://x.test "${HID}"`],
    ['a definition in a quote', `> a\n>\n> [x]: # (${HID})`],
    ['a definition over lines', `a\n\n[x]:\n  https://x.test\n  "${HID}"`],
    [
      'tag characters',
      `a ${[...HID].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('')} b`,
    ],
  ];
  for (const [what, raw] of carriers)
    test(`takes out ${what} and counts it (T39)`, () => {
      const { text, hidden } = toVisible(raw);
      assert.doesNotMatch(text, /HIDDEN|[\u{e0000}-\u{e0fff}]/u);
      assert.match(text, /\ba\b/);
      assert.ok(hidden >= HID.length, String(hidden));
    });

  test('takes out every invisible and reordering character, wherever it stands (T39)', () => {
    const points = [
      0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e,
      0x200f, 0x202a, 0x202e, 0x2060, 0x2064, 0x2066, 0x2069, 0x206f, 0x3164, 0xfe00, 0xfe0e, 0xfeff, 0xffa0,
      0xfff9, 0x1d173, 0xe0001, 0xe0041, 0xe0100, 0x00, 0x08, 0x1b, 0x7f, 0x9b,
    ];
    for (const point of points) {
      const sign = String.fromCodePoint(point);
      for (const raw of [`a${sign}b`, `\`a${sign}b\``, `\`\`\`\na${sign}b\n\`\`\``])
        assert.ok(!visible(raw).includes(sign) || point === 0, point.toString(16));
    }
  });

  test('shows exactly what is seen in 100 documents of seen and hidden pieces (T39)', () => {
    for (let n = 0; n < 100; n += 1) {
      const picked = [0, 1, 2, 3].map((k) => carriers[(n * 7 + k * 11) % carriers.length]?.[1] ?? '');
      const raw = picked.map((piece, k) => `seen${k} word\n\n${piece}`).join('\n\n');
      // What never ends hides all that follows, as it does on the page.
      const text = visible(raw);
      assert.doesNotMatch(text, /HIDDEN/);
      const opens = picked.findIndex((piece) => /^a\n\n<!-- HIDDEN\n\nb/.test(piece));
      const last = opens === -1 ? 3 : opens;
      for (let k = 0; k <= last; k += 1) assert.match(text, new RegExp(`seen${k} word`));
    }
  });

  test('ends soon over 64 KiB of anything', () => {
    const pieces = [
      '<!--',
      '<?',
      '![',
      '[',
      '`',
      '``` `` `',
      '<a <',
      '> ',
      '- ',
      '*a ',
      '[a](',
      '<!-- -->',
      '[a]: b\n',
      '|a',
      '\u200b',
      '&#',
    ];
    for (const piece of pieces) {
      const started = performance.now();
      toVisible(piece.repeat(Math.ceil(65_536 / piece.length)));
      assert.ok(performance.now() - started < 10_000, piece);
    }
  });

  test('makes one kind of line end, and well-formed text', () => {
    assert.equal(visible('a\r\nb\rc'), 'a\nb\nc');
    assert.equal(visible('a\ud800b'), 'a\ufffdb');
  });
});
