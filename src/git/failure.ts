import { type Fault, type FaultDetails, fault } from '../errors.ts';

interface Rule {
  readonly pattern: RegExp;
  readonly toFault: (details: FaultDetails) => Fault;
}

/**
 * git tells what went wrong over HTTP by text alone (its exit code is 128 for everything), so this is the one place where
 * message text is matched. It is stable: LC_ALL=C, and scripts all over the world depend on it. First match wins.
 */
const RULES: readonly Rule[] = [
  {
    pattern: /could not read (Username|Password)|Authentication failed|returned error: 401/,
    toFault: (details) =>
      fault('forge_unauthorized', {
        ...details,
        detail: `the token is not valid, or not yet, or not any more; ${details.detail}`,
      }),
  },
  {
    pattern: /returned error: 403|repository '.*' not found|returned error: 404/,
    toFault: (details) =>
      fault('forge_forbidden', {
        ...details,
        detail: `the token is not permitted to do this, or the repository is gone; ${details.detail}`,
      }),
  },
  {
    pattern: /returned error: 429/,
    toFault: (details) => fault('forge_rate_limited', { ...details, retryAfterMs: 60_000 }),
  },
  {
    pattern:
      /SSL certificate problem|server certificate verification failed|CAfile|certificate verify failed/i,
    toFault: (details) =>
      fault('git_failed', {
        ...details,
        detail: `the forge's certificate is not signed by an authority that Tadpole trusts: set TADPOLE_CA_FILE to a PEM file with your certificate authority; ${details.detail}`,
        publicDetail: "the forge's certificate is not trusted",
        retryable: false,
      }),
  },
  {
    pattern:
      /fsck error|broken link|object corrupt|did not receive expected object|possible repository corruption on the remote side|invalid (path|object)/,
    toFault: (details) => fault('repository_invalid', details),
  },
  {
    pattern: /not our ref|couldn't find remote ref|unadvertised object/,
    toFault: (details) =>
      fault('git_failed', {
        ...details,
        publicDetail: 'the base commit is no longer on the forge',
        retryable: false,
      }),
  },
  {
    pattern:
      /Could not resolve host|Failed to connect|Couldn't connect|Connection (refused|reset|timed out)|Operation too slow|returned error: 5\d\d|RPC failed|early EOF|hung up unexpectedly|unexpected disconnect|Empty reply from server|Recv failure|transfer closed|unable to rewind/,
    toFault: (details) => fault('forge_unavailable', details),
  },
];

/** What a failed git process means. `stderr` is redacted and capped already. */
export function toGitFault(failed: {
  readonly command: string;
  readonly exitCode: number | null;
  readonly stderr: string;
  /** Host that the call talked to, for the operator; null for local work. */
  readonly host: string | null;
}): Fault {
  const { command, exitCode, stderr, host } = failed;
  const at = host === null ? '' : ` (${host})`;
  const said = stderr.trim().slice(-1500);
  const detail = `git ${command}${at} ended with ${exitCode ?? 'a signal'}: ${said}`;
  const rule = RULES.find(({ pattern }) => pattern.test(stderr));
  return rule ? rule.toFault({ detail }) : fault('git_failed', { detail });
}
