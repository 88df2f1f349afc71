/**
 * Looks over a report before the XML parser sees it, in one pass without building anything: document types (and with them
 * entities), unclosed constructs, depth and size are refused here, so that no report can cost the parser more than its
 * length (T51). Contents of comments, CDATA sections and quoted attributes are skipped as what they are.
 */

export const XML_LIMITS = {
  depth: 64,
  /** Elements, comments, CDATA sections and instructions together. */
  elements: 300_000,
  /** Characters of one tag with all its attributes. Assertion messages stand in attributes, so it is generous. */
  tagLength: 1_048_576,
  attributesPerTag: 64,
} as const;

/** Why a report is refused. */
export type XmlProblem = 'doctype' | 'too_deep' | 'too_many_elements' | 'tag_too_long' | 'malformed';

const OPAQUE = [
  { open: '<!--', close: '-->' },
  { open: '<![CDATA[', close: ']]>' },
  { open: '<?', close: '?>' },
] as const;

/** Index just after the construct at `at`, or the problem with it; null when no opaque construct starts there. */
function skipOpaque(xml: string, at: number): number | XmlProblem | null {
  for (const { open, close } of OPAQUE) {
    if (!xml.startsWith(open, at)) continue;
    const end = xml.indexOf(close, at + open.length);
    return end === -1 ? 'malformed' : end + close.length;
  }
  // What is left that starts with `<!` declares a document type or an entity, wherever it stands.
  return xml.startsWith('<!', at) ? 'doctype' : null;
}

/** Index of the `>` that ends the tag at `at`; quotes may hold `>`, as node's reporter writes it. */
function findTagEnd(xml: string, at: number): number | XmlProblem {
  const limit = Math.min(xml.length, at + XML_LIMITS.tagLength);
  let quote = '';
  let attributes = 0;
  for (let i = at + 1; i < limit; i += 1) {
    const char = xml[i] ?? '';
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '"' || char === "'") {
      quote = char;
      attributes += 1;
      if (attributes > XML_LIMITS.attributesPerTag) return 'tag_too_long';
    } else if (char === '>') return i;
    else if (char === '<') return 'malformed';
  }
  return limit === xml.length ? 'malformed' : 'tag_too_long';
}

const NAME = /[^\s/>]*/y;

function readName(xml: string, at: number): string {
  NAME.lastIndex = at;
  return NAME.exec(xml)?.[0] ?? '';
}

/** Takes one tag into account; returns the problem with it, if any. */
function enterTag(xml: string, tag: { readonly at: number; readonly end: number }, open: string[]) {
  if (xml[tag.at + 1] === '/') {
    return open.pop() === readName(xml, tag.at + 2) ? null : 'malformed';
  }
  if (xml[tag.end - 1] !== '/') open.push(readName(xml, tag.at + 1));
  return open.length > XML_LIMITS.depth ? 'too_deep' : null;
}

/** The first problem of the text, or null when a parser may have it. Linear in its length. */
export function findXmlProblem(xml: string): XmlProblem | null {
  const open: string[] = [];
  let constructs = 0;
  let at = xml.indexOf('<');
  while (at !== -1) {
    constructs += 1;
    if (constructs > XML_LIMITS.elements) return 'too_many_elements';
    const opaque = skipOpaque(xml, at);
    if (typeof opaque === 'string') return opaque;
    const end = opaque ?? findTagEnd(xml, at);
    if (typeof end === 'string') return end;
    const problem = opaque === null ? enterTag(xml, { at, end }, open) : null;
    if (problem !== null) return problem;
    at = xml.indexOf('<', end);
  }
  return open.length === 0 && constructs > 0 ? null : 'malformed';
}
