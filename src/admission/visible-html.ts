/** What of raw HTML never shows: comments, instructions, declarations. In the order in which they are looked for. */
const HIDDEN: readonly (readonly [string, string])[] = [
  ['<!--', '-->'],
  ['<?', '?>'],
  ['<![CDATA[', ']]>'],
  ['<!', '>'],
];
/** Forges show nothing of what stands between these. */
const HIDDEN_ELEMENTS =
  /<(script|style|template|noscript|iframe|object|title)\b[^>]{0,1000}>[\s\S]*?(?:<\/\1\s*>|$(?![\s\S]))/gi;
const TAG = /<(\/?[A-Za-z][A-Za-z0-9-]*)(?:\s[^<>]*|\/)?>/g;

/** HTML without comments and attributes: tags stay, so that a reader of the source still sees the structure. Total. */
export function bareHtml(html: string): string {
  let text = html;
  for (const [open, close] of HIDDEN) text = dropBetween(text, open, close);
  return text.replace(HIDDEN_ELEMENTS, '').replace(TAG, '<$1>');
}

/** Searched by hand, since a pattern that looks for the end again and again takes quadratic time. */
function dropBetween(text: string, open: string, close: string): string {
  const kept: string[] = [];
  let at = 0;
  for (;;) {
    const start = text.indexOf(open, at);
    kept.push(text.slice(at, start === -1 ? undefined : start));
    if (start === -1) return kept.join('');
    const end = text.indexOf(close, start + open.length);
    // Never closed: hidden to the end.
    if (end === -1) return kept.join('');
    at = end + close.length;
  }
}
