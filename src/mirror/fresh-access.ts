import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../errors.ts';
import type { GitAccess } from '../forge/types.ts';

/** Waits between tries with a token that the forge does not know yet, ms: together longer than forges take (case B09). */
const DELAYS_MS = [500, 1000, 2000, 4000];

export interface FreshAccess {
  /** Mints a token just now. */
  readonly mint: () => Promise<GitAccess>;
  readonly delaysMs?: readonly number[];
}

/**
 * Runs git against the forge with a token minted just before. Refused once: minted anew at once, should the first have
 * expired on the way (case B08). Refused again: the same token is tried a few more times, since forges take seconds to
 * make a new one known everywhere; minting each time would start that wait over (case B09).
 */
export async function withFreshAccess<T>(
  { mint, delaysMs = DELAYS_MS }: FreshAccess,
  body: (access: GitAccess) => Promise<T>,
  { signal }: { readonly signal: AbortSignal },
): Promise<T> {
  const first = await attempt(body, await mint());
  if (first.kind === 'done') return first.value;
  const access = await mint();
  let last = await attempt(body, access);
  for (const delayMs of delaysMs) {
    if (last.kind === 'done') return last.value;
    await sleep(delayMs, undefined, { signal });
    last = await attempt(body, access);
  }
  if (last.kind === 'done') return last.value;
  throw last.fault;
}

type Attempt<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'unauthorized'; readonly fault: Fault };

async function attempt<T>(body: (access: GitAccess) => Promise<T>, access: GitAccess): Promise<Attempt<T>> {
  try {
    return { kind: 'done', value: await body(access) };
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === 'forge_unauthorized')
      return { kind: 'unauthorized', fault: thrown };
    throw thrown;
  }
}
