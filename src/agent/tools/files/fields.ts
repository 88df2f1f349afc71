/** Takes the NUL-ended fields at the start of a stream apart from what follows them. */
export interface Fields {
  readonly values: readonly string[];
  /** The rest of a piece after the fields; null while fields are still missing. */
  take(piece: Uint8Array): Uint8Array | null;
}

/** Fields hold words and paths; a longer beginning is no answer of our scripts. */
const MAX_BYTES = 64 * 1024;

/** `count` fields, or a single one when the first is not `ok`. */
export function createFields(count: number): Fields {
  const values: string[] = [];
  let waiting = Buffer.alloc(0);
  const isWhole = () => values.length === count || (values.length > 0 && values[0] !== 'ok');
  return {
    values,
    take(piece) {
      if (isWhole()) return piece;
      waiting = Buffer.concat([waiting, piece]);
      for (let end = waiting.indexOf(0); end >= 0 && !isWhole(); end = waiting.indexOf(0)) {
        values.push(waiting.subarray(0, end).toString('utf8'));
        waiting = waiting.subarray(end + 1);
      }
      if (waiting.length > MAX_BYTES && !isWhole()) values.unshift('overflow');
      return isWhole() ? waiting : null;
    },
  };
}
