import { createHmac, timingSafeEqual } from 'node:crypto';

const FORM = /^sha256=([0-9a-f]{64})$/i;

/**
 * Whether `header` (`X-Hub-Signature-256`) is the HMAC-SHA-256 of exactly these bytes. Constant time; nothing is parsed
 * first, so no re-serialisation can differ from what was signed (case B01, T08).
 */
export function isSigned(body: Uint8Array, header: string | undefined, secret: string): boolean {
  const hex = header === undefined ? undefined : FORM.exec(header)?.[1];
  if (hex === undefined) return false;
  const expected = createHmac('sha256', secret).update(body).digest();
  return timingSafeEqual(Buffer.from(hex, 'hex'), expected);
}
