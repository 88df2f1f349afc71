/**
 * Faults: our own trouble, thrown, and caught at two places only (webhook/intake and run/worker).
 * What a run may rightly end as is a value (see outcome.ts), what the model can mend is an observation.
 *
 * Every code has a catalogue entry here and a section in docs/errors.md; a test compares the two.
 */

/** What a catalogue entry says about a code: may the step be repeated, and the sentence that people on the issue may read. */
interface Entry {
  readonly retryable: boolean;
  /** Shown on the forge. Never contains a host name, a path or a value. */
  readonly publicText: string;
}

export const FAULTS = {
  config_invalid: { retryable: false, publicText: 'Tadpole is not configured correctly' },
  store_unavailable: { retryable: true, publicText: "Tadpole's store did not answer" },
  queue_unavailable: { retryable: true, publicText: "Tadpole's queue did not answer" },
  artifact_missing: { retryable: false, publicText: 'a file that an earlier stage wrote is gone' },
  lease_lost: { retryable: false, publicText: 'another worker has taken over this run' },
  forge_unavailable: { retryable: true, publicText: 'the forge did not answer' },
  forge_rate_limited: { retryable: true, publicText: 'the forge asked Tadpole to slow down' },
  forge_unauthorized: { retryable: false, publicText: "the forge does not accept Tadpole's credentials" },
  forge_forbidden: { retryable: false, publicText: 'the forge does not allow Tadpole to do this here' },
  forge_answer_invalid: {
    retryable: false,
    publicText: 'the forge gave an answer that Tadpole does not understand',
  },
  git_failed: { retryable: true, publicText: 'git could not fetch or write the repository' },
  repository_too_large: { retryable: false, publicText: 'the repository is larger than Tadpole may copy' },
  repository_empty: { retryable: false, publicText: 'the repository has no commit yet' },
  repository_invalid: { retryable: false, publicText: "the repository has objects that git's checks refuse" },
  sandbox_unavailable: { retryable: false, publicText: 'sandboxes cannot be made on this machine' },
  sandbox_start_failed: { retryable: true, publicText: 'the sandbox could not start' },
  sandbox_not_isolated: {
    retryable: false,
    publicText: 'the sandbox was not isolated, so nothing was run in it',
  },
  sandbox_lost: { retryable: true, publicText: 'the sandbox was lost' },
  sandbox_transfer_failed: {
    retryable: true,
    publicText: 'data did not pass between Tadpole and the sandbox unharmed',
  },
  model_unavailable: { retryable: true, publicText: 'the model endpoint did not answer' },
  model_unauthorized: { retryable: false, publicText: "the model endpoint does not accept Tadpole's key" },
  model_not_found: { retryable: false, publicText: 'the model endpoint does not have the configured model' },
  model_request_refused: { retryable: false, publicText: 'the model endpoint refused the request' },
  model_answer_invalid: {
    retryable: true,
    publicText: 'the model endpoint gave an answer that Tadpole does not understand',
  },
  payload_invalid: { retryable: false, publicText: 'the webhook payload lacks a field that Tadpole needs' },
  attempts_exhausted: { retryable: false, publicText: 'the run was interrupted too often' },
  internal: { retryable: false, publicText: 'an unexpected error in Tadpole' },
} as const satisfies Record<string, Entry>;

export type FaultCode = keyof typeof FAULTS;

export interface FaultDetails {
  /** For operators: what was found, what was expected, the next step. May name hosts and paths, never a secret. */
  readonly detail: string;
  readonly cause?: unknown;
  /** A further sentence that people on the issue may read. */
  readonly publicDetail?: string;
  /** Overrides the catalogue where the same code can be either, such as a transport error after the last try. */
  readonly retryable?: boolean;
  /** Wait at least this long (ms) before the next try, when the other side said so. */
  readonly retryAfterMs?: number;
}

/** A catalogued fault. Create with `fault(code, …)`; compare `code`, never message text. */
export class Fault extends Error {
  readonly code: FaultCode;
  /** For operators; `message` is the code and this. */
  readonly detail: string;
  readonly retryable: boolean;
  readonly publicText: string;
  readonly retryAfterMs: number | undefined;

  constructor(code: FaultCode, details: FaultDetails) {
    super(`${code}: ${details.detail}`, details.cause === undefined ? {} : { cause: details.cause });
    this.name = 'Fault';
    this.code = code;
    this.detail = details.detail;
    this.retryable = details.retryable ?? FAULTS[code].retryable;
    this.publicText = details.publicDetail
      ? `${FAULTS[code].publicText} (${details.publicDetail})`
      : FAULTS[code].publicText;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** Makes a catalogued fault, to be thrown. */
export function fault(code: FaultCode, details: FaultDetails): Fault {
  return new Fault(code, details);
}

/** Any thrown value as a fault: a fault stays as it is, anything else becomes `internal` with the value as its cause. */
export function toFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown;
  const detail =
    thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : 'a value that is no error was thrown';
  return fault('internal', { detail, cause: thrown });
}
