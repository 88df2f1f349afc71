import { getCACertificates } from 'node:tls';
import { Agent, fetch, type RequestInit, Response } from 'undici';

export interface FetchOptions {
  /** A private certificate authority, PEM, trusted beside the others. */
  readonly ca?: string | null;
  /** Longest time from a request's start to the last byte of its answer, ms. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 30_000;
/** GitHub's largest answer that we ask for, a file of 1 MiB in Base64 among JSON, is far smaller. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/**
 * Octokit's fetch: one time-out for the whole exchange, so that a forge that accepts and then says nothing costs no more
 * than that (R19); a bounded answer; our certificate authority; and no redirect followed, since the next address would be
 * the answer's choice and get our token (T37).
 */
export function createFetch({ ca, timeoutMs = TIMEOUT_MS }: FetchOptions) {
  const trust = ca ? { ca: [...getCACertificates('default'), ca] } : {};
  const dispatcher = new Agent({ connect: { timeout: Math.min(10_000, timeoutMs), ...trust } });
  return async (url: string, init: RequestInit): Promise<Response> => {
    const limit = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
    const answer = await fetch(url, { ...init, dispatcher, signal, redirect: 'manual' });
    const body = await readBounded(answer.body);
    const headers = new Headers([...answer.headers]);
    // The body below is decoded already.
    for (const name of ['content-encoding', 'content-length']) headers.delete(name);
    const mayHaveBody = ![204, 205, 304].includes(answer.status);
    return new Response(mayHaveBody ? body : null, { status: answer.status, headers: [...headers] });
  };
}

async function readBounded(stream: AsyncIterable<Uint8Array> | null): Promise<Buffer<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stream ?? []) {
    size += piece.length;
    if (size > MAX_ANSWER_BYTES) throw new Error(`the answer has more than ${MAX_ANSWER_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
