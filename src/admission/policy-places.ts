import { type Document, isMap, isNode, isScalar, isSeq, type LineCounter } from 'yaml';

/** A place in a file as editors count it, from 1. */
export interface FilePlace {
  readonly line: number;
  readonly column: number;
}

export interface PolicySourceText {
  readonly document: Document;
  readonly lines: LineCounter;
}

/** Where a key or a list's item stands, or the nearest of its parents that is there. */
export function placeOf(path: readonly PropertyKey[], source: PolicySourceText): FilePlace {
  let offset = 0;
  let node: unknown = source.document.contents;
  for (const key of path) {
    const step = stepInto(node, key);
    if (step === null) break;
    offset = step.offset;
    node = step.node;
  }
  const { line, col } = source.lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function stepInto(
  node: unknown,
  key: PropertyKey,
): { readonly offset: number; readonly node: unknown } | null {
  if (isSeq(node) && typeof key === 'number') {
    const item = node.items[key];
    return isNode(item) && item.range ? { offset: item.range[0], node: item } : null;
  }
  if (!isMap(node)) return null;
  // Keys such as 1 or null are texts once the file is read.
  for (const { key: name, value } of node.items)
    if (isScalar(name) && String(name.value) === String(key) && name.range)
      return { offset: name.range[0], node: value };
  return null;
}
