import { fault } from '../errors.ts';

const MIN_BYTES = 32;
const MIN_DISTINCT = 8;
/** Probot and GitHub's guides use these; a secret that the world knows signs for anyone (T08). */
const KNOWN = /^(?:development|secret|my-?secret|it'?s a secret to everybody|change-?me|webhook-?secret)+$/i;

/**
 * The last gate before the listener opens: without a real secret anybody could start runs. Fault `config_invalid`.
 * The configuration says the same earlier and more kindly; a second way to start must not be a way around it.
 */
export function assertWebhookSecret(secret: string): void {
  const bytes = Buffer.byteLength(secret, 'utf8');
  const isWeak = bytes < MIN_BYTES || new Set(secret).size < MIN_DISTINCT || KNOWN.test(secret.trim());
  if (!isWeak) return;
  const detail = `WEBHOOK_SECRET is shorter than ${MIN_BYTES} bytes or a known default. Make one: openssl rand -hex 32`;
  throw fault('config_invalid', { detail });
}
