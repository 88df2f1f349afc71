import { createHmac, timingSafeEqual } from 'node:crypto';

/** One header of this form: two of them come joined by a comma and match nothing. Hex in either case (F01). */
const FORM = /^sha256=([0-9a-f]{64})$/i;

/** Why a delivery is refused, for logs and for whoever set up the webhook; a closed set, no foreign text. */
export type SignatureVerdict = 'valid' | 'missing' | 'sha1_only' | 'malformed' | 'wrong';

export interface SignatureHeaders {
  /** `X-Hub-Signature-256`. */
  readonly sha256: string | undefined;
  /** `X-Hub-Signature`, which GitHub sends as well; never accepted. */
  readonly sha1: string | undefined;
}

/**
 * Whether the header is the HMAC-SHA-256 of exactly these bytes. Constant time; nothing is parsed first, so no
 * re-serialisation can differ from what was signed (B01, T08).
 */
export function judgeSignature(
  body: Uint8Array,
  headers: SignatureHeaders,
  secret: string,
): SignatureVerdict {
  const { sha256, sha1 } = headers;
  if (sha256 === undefined) return sha1 === undefined ? 'missing' : 'sha1_only';
  const hex = FORM.exec(sha256)?.[1];
  if (hex === undefined) return 'malformed';
  const expected = createHmac('sha256', secret).update(body).digest();
  return timingSafeEqual(Buffer.from(hex, 'hex'), expected) ? 'valid' : 'wrong';
}
