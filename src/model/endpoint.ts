import type { Log } from '../log.ts';
import type { RetryRules } from './retry.ts';

/** How an OpenAI-compatible endpoint is reached. The key is registered as a secret by the caller. */
export interface Endpoint {
  /** Address up to and with its version, such as `https://models.example.com/v1`. */
  readonly baseUrl: string;
  /** Name of the model there. */
  readonly name: string;
  readonly apiKey: string | null;
  /** Longest wait for one whole answer, ms. */
  readonly timeoutMs: number;
  /** A private certificate authority in PEM form, trusted beside the public ones. */
  readonly ca?: string;
  readonly retry?: Partial<RetryRules>;
  readonly log: Log;
}
