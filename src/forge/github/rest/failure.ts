import { z } from 'zod';
import { clipLine } from '../../../clip.ts';
import { type Fault, fault } from '../../../errors.ts';
import { printable } from '../../../printable.ts';
import { limitPause } from './rate-limit.ts';

/** What a failed call means. */
export interface Failure {
  /** Null when no answer came at all. */
  readonly status: number | null;
  /** Ms to wait before the next try when the forge limits us; null when it does not. */
  readonly waitMs: number | null;
  readonly fault: Fault;
}

/** An answer that refuses, as far as it is read. */
export interface RefusedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** GitHub's sentence, hostile and capped. */
  readonly said: string;
  /** The documentation page that GitHub points to. */
  readonly page: string;
}

const Sentence = z.string().catch('');
const Refusal = z
  .object({
    message: Sentence,
    documentation_url: Sentence,
    errors: z
      .array(z.union([z.string(), z.object({ message: Sentence }).transform(({ message }) => message)]))
      .catch([]),
  })
  .catch({ message: '', documentation_url: '', errors: [] });
const Thrown = z.object({
  status: z.int(),
  response: z.object({
    headers: z.record(z.string(), z.coerce.string()).catch({}),
    data: Refusal,
  }),
});

/** Node's and OpenSSL's codes for a certificate that is not trusted. */
const CERTIFICATE_CODES =
  /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|ERR_TLS_CERT|ERR_SSL_.*CERT|HOSTNAME_MISMATCH)/;
const MAX_SAID_BYTES = 300;

/** Reads what Octokit threw; null when there was no answer. */
export function readRefusal(thrown: unknown): RefusedAnswer | null {
  const read = Thrown.safeParse(thrown);
  if (!read.success) return null;
  const { status, response } = read.data;
  const { message, documentation_url: page, errors } = response.data;
  const said = clipLine(
    printable([message, ...errors].filter(Boolean).join('; ')).replace(/\s+/g, ' '),
    MAX_SAID_BYTES,
  );
  return { status, headers: response.headers, said, page };
}

/** Classifies what a call threw. `what` names the call for operators, such as its route; `host` the forge. */
export function toFailure(
  thrown: unknown,
  { what, host }: { readonly what: string; readonly host: string },
): Failure {
  const answer = readRefusal(thrown);
  if (answer === null) return { status: null, waitMs: null, fault: noAnswer(thrown, { what, host }) };
  const { status, said } = answer;
  const waitMs = limitPause(answer, Date.now());
  const detail = `${what}: ${host} answered ${status}${said && ` (${said})`}`;
  if (waitMs === null) return { status, waitMs, fault: toFault(answer, detail) };
  return { status, waitMs, fault: fault('forge_rate_limited', { detail, retryAfterMs: waitMs }) };
}

function noAnswer(thrown: unknown, { what, host }: { readonly what: string; readonly host: string }): Fault {
  const code = findCode(thrown);
  const why = CERTIFICATE_CODES.test(code)
    ? `its certificate is not trusted (${code}); name the authority's PEM file in TADPOLE_CA_FILE`
    : `no answer${code && ` (${code})`}`;
  return fault('forge_unavailable', { detail: `${what}: ${host}: ${why}`, cause: thrown });
}

/** The first error code down the chain of causes. */
function findCode(thrown: unknown): string {
  let at = thrown;
  for (let depth = 0; depth < 6 && at instanceof Error; depth += 1) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    at = at.cause;
  }
  return '';
}

function toFault({ status, headers }: RefusedAnswer, detail: string): Fault {
  if (status >= 500) return fault('forge_unavailable', { detail });
  if (status === 401) return fault('forge_unauthorized', { detail });
  if (status === 403) return forbidden(detail, readAccepted(headers));
  return fault('forge_answer_invalid', { detail });
}

/** GitHub names the permissions that would do: `issues=write; pull_requests=write`. */
function readAccepted(headers: RefusedAnswer['headers']): readonly string[] {
  const value = headers['x-accepted-github-permissions'] ?? '';
  const found = value.matchAll(/\b([a-z_]{1,40})=(read|write|admin)\b/g);
  return [...found].map(([, name, level]) => `${name}: ${level}`);
}

/** The App may not do this here; the permissions that somebody has to accept are named to people as well (case B12). */
export function forbidden(detail: string, permissions: readonly string[]): Fault {
  if (permissions.length === 0) {
    const hint = "compare the App's permissions with app.yml and look at the branch rules";
    return fault('forge_forbidden', { detail: `${detail}; ${hint}` });
  }
  const list = permissions.join(', ');
  const publicDetail = `an owner has to accept for Tadpole's installation: ${list}`;
  return fault('forge_forbidden', {
    detail: `${detail}; to be accepted for the installation: ${list}`,
    publicDetail,
  });
}
