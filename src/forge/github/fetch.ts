import { rootCertificates } from 'node:tls';
import { Agent, type RequestInit, fetch as undiciFetch } from 'undici';
import type { GitHubOptions } from './client.ts';

const TIMEOUT_MS = 30_000;

/** A fetch with a total time-out per call, our certificate authority, and no redirect that could carry a token elsewhere (T37). */
export function createFetch({ ca, timeoutMs = TIMEOUT_MS }: Pick<GitHubOptions, 'ca' | 'timeoutMs'>) {
  const dispatcher = new Agent(ca ? { connect: { ca: [...rootCertificates, ca] } } : {});
  return (url: string, init: RequestInit) => {
    const limit = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
    return undiciFetch(url, { ...init, dispatcher, signal, redirect: 'error' });
  };
}
