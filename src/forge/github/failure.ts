import { z } from 'zod';
import { type Fault, fault } from '../../errors.ts';

const RequestError = z.object({
  status: z.int(),
  message: z.string().default(''),
  response: z.object({ headers: z.record(z.string(), z.unknown()).default({}) }).optional(),
});

/** What a failed call means: how long to wait, or which fault. */
export interface Failure {
  readonly status: number | null;
  /** Ms to wait before the next try when the forge said so or limits us; null when it is no rate limit. */
  readonly waitMs: number | null;
  readonly fault: Fault;
}

/** Without a word from the forge, a secondary limit is waited out this long. */
const LIMIT_PAUSE_MS = 60_000;
const LIMIT_WORDS = /rate limit|abuse detection|too many|submitted too quickly/i;

/** Classifies what Octokit threw: the status decides, and for rate limits the headers (case B11 lists the disguises). */
export function toFailure(thrown: unknown, what: string): Failure {
  const read = RequestError.safeParse(thrown);
  if (!read.success || read.data.response === undefined) {
    const detail = `${what}: no answer from the forge`;
    return { status: null, waitMs: null, fault: fault('forge_unavailable', { detail, cause: thrown }) };
  }
  const { status, message, response } = read.data;
  const waitMs = limitPause(status, message, response.headers);
  const detail = `${what}: the forge answered ${status}`;
  if (waitMs !== null)
    return {
      status,
      waitMs,
      fault: fault('forge_rate_limited', { detail, cause: thrown, retryAfterMs: waitMs }),
    };
  return { status, waitMs, fault: toFault(status, { detail, cause: thrown }) };
}

function toFault(
  status: number,
  { detail, cause }: { readonly detail: string; readonly cause: unknown },
): Fault {
  if (status >= 500) return fault('forge_unavailable', { detail, cause });
  if (status === 401)
    return fault('forge_unauthorized', {
      detail: `${detail}; check GITHUB_APP_ID and GITHUB_PRIVATE_KEY`,
      cause,
    });
  if (status === 403) {
    const hint = 'the installation may have to accept a permission: see app.yml';
    return fault('forge_forbidden', { detail: `${detail}; ${hint}`, cause });
  }
  return fault('forge_answer_invalid', { detail, cause });
}

function limitPause(
  status: number,
  message: string,
  headers: Readonly<Record<string, unknown>>,
): number | null {
  if (status !== 403 && status !== 429 && status !== 422) return null;
  const retryAfter = Number(headers['retry-after']);
  if (Number.isFinite(retryAfter) && headers['retry-after'] !== undefined) return retryAfter * 1000;
  if (headers['x-ratelimit-remaining'] === '0') {
    const reset = Number(headers['x-ratelimit-reset']) * 1000 - Date.now();
    return Number.isFinite(reset) ? Math.max(1000, reset) : LIMIT_PAUSE_MS;
  }
  return status === 429 || LIMIT_WORDS.test(message) ? LIMIT_PAUSE_MS : null;
}
