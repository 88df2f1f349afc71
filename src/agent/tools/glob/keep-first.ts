/** Keeps the first so many of any number of values in order, and counts the others. */
export interface FirstValues<Value> {
  add(value: Value): void;
  readonly count: number;
  sorted(): readonly Value[];
}

export function keepFirst<Value>(most: number, compare: (a: Value, b: Value) => number): FirstValues<Value> {
  let kept: Value[] = [];
  let count = 0;
  const sorted = () => kept.sort(compare).slice(0, most);
  return {
    add(value) {
      count += 1;
      kept.push(value);
      // Sorted now and then, so that memory stays flat and time nearly linear.
      if (kept.length >= most * 4) kept = sorted();
    },
    get count() {
      return count;
    },
    sorted,
  };
}

/** Python sorts by code point; UTF-16 units differ from that beyond the basic plane. */
export function byCodePoint(a: string, b: string): number {
  const isPlain = !/[\ud800-\udfff]/.test(a) && !/[\ud800-\udfff]/.test(b);
  if (!isPlain) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
