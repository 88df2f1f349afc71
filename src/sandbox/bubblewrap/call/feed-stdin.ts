import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export type StdinContent = Uint8Array | AsyncIterable<Uint8Array>;

/**
 * Writes content to the program as fast as it reads. A program that does not read to the end is its own affair; resolves
 * then too. Rejects only with the error of a failing source, because the program has then seen a cut input.
 */
export async function feedStdin(pipe: Socket, content: StdinContent): Promise<void> {
  let sourceError: { readonly error: unknown } | null = null;
  async function* pieces() {
    try {
      if (content instanceof Uint8Array) yield content;
      else yield* content;
    } catch (error) {
      sourceError = { error };
    }
  }
  const failed = () => sourceError;
  await pipeline(Readable.from(pieces(), { objectMode: false }), pipe).catch(() => {
    // EPIPE or a closed pipe: the program has ended or closed its input.
  });
  const failure: { readonly error: unknown } | null = failed();
  if (failure !== null) throw failure.error;
}
