/**
 * Splits a byte stream at NUL bytes into strings of one unit a byte (Latin-1), so that file names of any bytes stay exact.
 * What follows the last NUL is yielded too, unless it is empty.
 */
export async function* zeroSeparated(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void, undefined> {
  let rest = '';
  for await (const piece of source) {
    const fields = (rest + Buffer.from(piece).toString('latin1')).split('\0');
    rest = fields.pop() ?? '';
    yield* fields;
  }
  if (rest !== '') yield rest;
}
