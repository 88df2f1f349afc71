import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export type StdinContent = Uint8Array | AsyncIterable<Uint8Array>;

interface Source {
  readonly pieces: AsyncIterable<Uint8Array>;
  /** What the content threw, if it did. What the pipe's trouble throws into it on the way out is not that. */
  failure(): { readonly error: unknown } | null;
}

function watchSource(content: AsyncIterable<Uint8Array>): Source {
  let failure: { readonly error: unknown } | null = null;
  async function* pieces() {
    const iterator = content[Symbol.asyncIterator]();
    try {
      for (;;) {
        const step = await iterator.next().catch((error: unknown) => {
          failure = { error };
          return null;
        });
        if (step === null || step.done) return;
        yield step.value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return { pieces: pieces(), failure: () => failure };
}

async function* once(content: Uint8Array) {
  yield content;
}

/**
 * Writes content to the program as fast as it reads. A program that does not read to the end is its own affair; resolves
 * then too. Rejects only with the error of a failing source, because the program has then seen a cut input.
 */
export async function feedStdin(pipe: Socket, content: StdinContent): Promise<void> {
  const source = watchSource(content instanceof Uint8Array ? once(content) : content);
  await pipeline(Readable.from(source.pieces, { objectMode: false }), pipe).catch(() => {
    // EPIPE or a closed pipe: the program has ended or closed its input.
  });
  const failure = source.failure();
  if (failure !== null) throw failure.error;
}
