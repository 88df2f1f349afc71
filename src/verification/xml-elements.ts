import { XMLParser } from 'fast-xml-parser';

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  cdataPropName: '#cdata',
  ignoreDeclaration: true,
  ignorePiTags: true,
  // Entities are decoded below: the five of XML and numbers, once, never anything declared in the text.
  processEntities: false,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
});

/** One element of a report. */
export interface Element {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly children: readonly unknown[];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi,
    (whole, name, decimal, hex) => {
      if (typeof name === 'string') return NAMED[name.toLowerCase()] ?? whole;
      const code = typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex), 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}

/** The parser's node `{tag: children, ':@': attributes}` as an element; null for text. */
export function toElement(node: unknown): Element | null {
  if (!isRecord(node)) return null;
  const tag = Object.keys(node).find((key) => key !== ':@');
  if (tag === undefined || tag.startsWith('#')) return null;
  const children = node[tag];
  const attributes = node[':@'];
  return {
    tag,
    attributes: isRecord(attributes) ? attributes : {},
    children: Array.isArray(children) ? children : [],
  };
}

/** An attribute's decoded value; empty when it has none. */
export function attribute(element: Element, name: string): string {
  const value = Object.hasOwn(element.attributes, name) ? element.attributes[name] : undefined;
  return typeof value === 'string' ? decodeEntities(value) : '';
}

/** The element's own text, CDATA included. */
export function textOf(element: Element): string {
  let text = '';
  for (const child of element.children) {
    if (!isRecord(child)) continue;
    if (typeof child['#text'] === 'string') text += decodeEntities(child['#text']);
    const section = child['#cdata'];
    if (!Array.isArray(section)) continue;
    for (const part of section)
      if (isRecord(part) && typeof part['#text'] === 'string') text += part['#text'];
  }
  return text;
}

/** The text's top nodes, for `toElement`; none when the parser refuses it. Look it over with `findXmlProblem` first. */
export function parseTree(xml: string): readonly unknown[] {
  try {
    const tree: unknown = parser.parse(xml);
    return Array.isArray(tree) ? tree : [];
  } catch {
    // The parser refuses names such as `__proto__` by throwing; whatever it refuses is no report.
    return [];
  }
}
