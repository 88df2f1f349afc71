import type { RefusedAnswer } from './failure.ts';

/** Without a word from the forge, a secondary limit is waited out this long, as GitHub's guide asks. */
export const UNTOLD_PAUSE_MS = 60_000;

/** GitHub's sections about limits, old and new, as its answers link them. */
const LIMIT_PAGES = /rate-limit|abuse-/i;
/** A secondary limit often has no header at all and is told from a missing permission by its sentence alone (case B11). */
const LIMIT_WORDS = /rate limit|abuse detection|too many requests|submitted too quickly/i;

/** How long a refusal asks us to wait, ms; null when it is no rate limit. The disguises of case B11, headers first. */
export function limitPause({ status, headers, said, page }: RefusedAnswer, now: number): number | null {
  if (status !== 403 && status !== 429 && status !== 422) return null;
  const told = retryAfter(headers['retry-after'], now);
  if (told !== null) return told;
  if (headers['x-ratelimit-remaining'] === '0' && status !== 422) {
    const reset = Number(headers['x-ratelimit-reset']) * 1000 - now;
    // One second more: the reset is told in whole seconds.
    return Number.isFinite(reset) ? Math.max(1_000, reset + 1_000) : UNTOLD_PAUSE_MS;
  }
  return status === 429 || LIMIT_PAGES.test(page) || LIMIT_WORDS.test(said) ? UNTOLD_PAUSE_MS : null;
}

/** `Retry-After` in seconds or as a date. */
function retryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(ms) ? Math.max(1_000, ms) : UNTOLD_PAUSE_MS;
}
