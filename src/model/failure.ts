import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import { takeHead } from '../clip.ts';
import { type Fault, type FaultCode, fault } from '../errors.ts';
import { AnswerInvalid } from './answer-invalid.ts';
import type { Endpoint } from './endpoint.ts';
import type { Failure } from './retry.ts';

type Named = Pick<Endpoint, 'baseUrl' | 'name' | 'timeoutMs'>;

/** Statuses that say "not now": a request time-out, too early, too many, and everything from 500 up. */
const NOT_NOW = new Set([408, 425, 429]);
/**
 * Statuses that call the request wrong. One repeat, for a proxy's or a starting server's slip; never more (case D06).
 */
const WRONG_REQUEST = new Set([400, 409, 422]);
const SAID_BYTES = 500;

/**
 * What a failed request means. Time-outs are not repeated: behind a proxy the first request may still run (case D11).
 */
export function toFailure(thrown: unknown, endpoint: Named): Failure {
  // The client wraps whatever its fetch throws.
  if (thrown instanceof APIConnectionError && thrown.cause instanceof AnswerInvalid)
    return toFailure(thrown.cause, endpoint);
  if (thrown instanceof APIConnectionTimeoutError) {
    const seconds = endpoint.timeoutMs / 1000;
    const detail = `no whole answer from ${endpoint.baseUrl} within ${seconds} s (MODEL_TIMEOUT_SECONDS)`;
    return {
      repeat: 'never',
      fault: fault('model_unavailable', { detail, cause: thrown, retryable: false }),
    };
  }
  if (thrown instanceof APIConnectionError) {
    const detail = `${endpoint.baseUrl} can't be reached or cut the connection: ${causesOf(thrown)} (MODEL_BASE_URL)`;
    return { repeat: 'while_patient', fault: fault('model_unavailable', { detail, cause: thrown }) };
  }
  if (thrown instanceof APIError && typeof thrown.status === 'number') {
    return toStatusFailure(thrown.status, thrown, endpoint);
  }
  if (thrown instanceof SyntaxError || thrown instanceof AnswerInvalid) {
    const detail = `${endpoint.baseUrl}: ${thrown.message}`;
    return { repeat: 'once', fault: fault('model_answer_invalid', { detail, cause: thrown }) };
  }
  throw thrown;
}

function toStatusFailure(status: number, thrown: APIError, endpoint: Named): Failure {
  const said = `${endpoint.baseUrl} answered ${status}: ${takeHead(thrown.message, SAID_BYTES)}`;
  const never = (code: FaultCode, advice: string): Failure => ({
    repeat: 'never',
    fault: fault(code, { detail: `${said} ${advice}`, cause: thrown }),
  });
  if (status === 401 || status === 403) return never('model_unauthorized', '(check MODEL_API_KEY)');
  if (status === 404)
    return never('model_not_found', `(check MODEL_NAME, now "${endpoint.name}", and MODEL_BASE_URL)`);
  if (NOT_NOW.has(status) || status >= 500) return { repeat: 'while_patient', fault: notNow(said, thrown) };
  if (WRONG_REQUEST.has(status)) return { ...never('model_request_refused', ''), repeat: 'once' };
  return never(
    'model_request_refused',
    status < 400 ? '(a redirect is not followed; check MODEL_BASE_URL)' : '',
  );
}

function notNow(detail: string, thrown: APIError): Fault {
  const retryAfterMs = parseRetryAfter(thrown.headers?.get('retry-after') ?? null, Date.now());
  return fault('model_unavailable', {
    detail,
    cause: thrown,
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  });
}

/** Seconds or an HTTP date as ms from `now`; null where it says neither. */
export function parseRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(value.trim())) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** Messages and codes down the chain: the outermost says only "Connection error". */
function causesOf(thrown: Error): string {
  const said: string[] = [];
  for (let each: unknown = thrown.cause; each instanceof Error && said.length < 4; each = each.cause) {
    const code = 'code' in each && typeof each.code === 'string' ? `${each.code} ` : '';
    said.push(`${code}${takeHead(each.message, SAID_BYTES)}`.trim());
  }
  return said.join(': ') || thrown.message;
}
