import { rootCertificates } from 'node:tls';
import { Agent, fetch } from 'undici';
import { AnswerInvalid } from './answer-invalid.ts';
import type { Endpoint } from './endpoint.ts';

/**
 * The longest answer that is read. The largest allowed turn is some 200 KB; what is longer is no answer to us (T43).
 */
export const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Added to the dispatcher's limits so that the client's own timer, which covers the whole answer, fires first. */
const SLACK_MS = 5_000;

/**
 * Settings of our own dispatcher. Node's fetch would give up after 300 s without a header, whatever time-out the
 * client was given, and a completion sends its first header with its last word (case D11). HTTP/1.1, so that an abort
 * closes the connection and the server stops generating.
 */
export function dispatcherOptions({ timeoutMs, ca }: Pick<Endpoint, 'timeoutMs' | 'ca'>): Agent.Options {
  const limit = timeoutMs + SLACK_MS;
  const trust = ca === undefined ? {} : { ca: [...rootCertificates, ca] };
  return {
    headersTimeout: limit,
    bodyTimeout: limit,
    allowH2: false,
    connect: { timeout: 10_000, ...trust },
  };
}

/**
 * A fetch for one endpoint: own dispatcher, no redirects (prompts are source code and go nowhere else), answer read
 * whole and bounded. Reading it here puts it under the caller's signal and timer, headers and body alike.
 */
export function createBoundedFetch(endpoint: Pick<Endpoint, 'timeoutMs' | 'ca'>): typeof globalThis.fetch {
  const dispatcher = new Agent(dispatcherOptions(endpoint));
  return async (url, init) => {
    const response = await fetch(String(url), {
      method: init?.method ?? 'GET',
      headers: [...new Headers(init?.headers)],
      // The client sends JSON text or nothing.
      body: typeof init?.body === 'string' ? init.body : null,
      signal: init?.signal ?? null,
      redirect: 'manual',
      dispatcher,
    });
    const body = await readBounded(response.body);
    const headers = new Headers([...response.headers]);
    // The body below is decoded already.
    for (const name of ['content-encoding', 'content-length']) headers.delete(name);
    const mayHaveBody = ![101, 204, 205, 304].includes(response.status);
    return new Response(mayHaveBody ? body : null, { status: response.status, headers });
  };
}

async function readBounded(stream: AsyncIterable<Uint8Array> | null): Promise<Buffer<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop by throwing cancels the stream, which closes the connection.
  for await (const piece of stream ?? []) {
    length += piece.length;
    if (length > MAX_ANSWER_BYTES)
      throw new AnswerInvalid(`the answer has more than ${MAX_ANSWER_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
