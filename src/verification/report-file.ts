import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import { type Sandbox, SCRATCH, WORKSPACE } from '../sandbox/types.ts';

/** Largest report that is read, bytes. */
const MAX_REPORT_BYTES = 16 * 1024 * 1024;
const OUR_CALL_TIMEOUT_MS = 30_000;

/** Where the test command is to leave its report. */
export interface ReportPlace {
  /** Value of `TADPOLE_REPORT`: a file that does not exist, under a name that nothing before the test could know. */
  readonly fresh: string;
  /** The file that is read afterwards: `fresh`, or the policy's path in the work tree. */
  readonly read: string;
}

export type ReportBytes =
  | { readonly kind: 'read'; readonly bytes: Uint8Array }
  | { readonly kind: 'missing' }
  /** Not a regular file, or larger than a report may be. */
  | { readonly kind: 'unusable' };

interface CallOptions {
  readonly signal: AbortSignal;
}

/** `$1` the file to be gone (a stale report must not pass for the run's), `$2` the folder to be there. */
const PREPARE = 'rm -rf -- "$1" && mkdir -p -- "$2"';

/** A FIFO or device would block a reader for ever, and a link could show a file that was there before: say what it is. */
const LOOK =
  'if [ -h "$1" ]; then echo odd; elif [ ! -e "$1" ]; then echo missing; elif [ ! -f "$1" ]; then echo odd; else wc -c <"$1"; fi';

/** The policy's path inside the work tree; null when it leads out of it. */
function toTreePath(path: string): string | null {
  const absolute = posix.join(WORKSPACE, path);
  return absolute.startsWith(`${WORKSPACE}/`) ? absolute : null;
}

/** Chooses the report's place and clears it; null when the policy's path leads out of the work tree. Run after `setup`. */
export async function prepareReport(
  sandbox: Sandbox,
  policyPath: string | null,
  { signal }: CallOptions,
): Promise<ReportPlace | null> {
  const folder = posix.join(SCRATCH, 'reports');
  const fresh = posix.join(folder, `${randomUUID()}.xml`);
  const read = policyPath === null ? fresh : toTreePath(policyPath);
  if (read === null) return null;
  const { exitCode } = await sandbox.exec(
    {
      id: 'report-prepare',
      argv: ['/bin/sh', '-c', PREPARE, 'sh', read, folder],
      timeoutMs: OUR_CALL_TIMEOUT_MS,
    },
    { signal },
  );
  return exitCode === 0 ? { fresh, read } : null;
}

/** Reads the report as bytes, nothing more. Call it when the test's processes are gone. */
export async function readReport(
  sandbox: Sandbox,
  path: string,
  { signal }: CallOptions,
): Promise<ReportBytes> {
  const look = await sandbox.exec(
    { id: 'report-look', argv: ['/bin/sh', '-c', LOOK, 'sh', path], timeoutMs: OUR_CALL_TIMEOUT_MS },
    { signal },
  );
  const seen = new TextDecoder().decode(look.stdout.head).trim();
  if (look.exitCode !== 0) return { kind: 'unusable' };
  if (seen === 'missing') return { kind: 'missing' };
  if (!/^\d{1,15}$/.test(seen) || Number(seen) > MAX_REPORT_BYTES) return { kind: 'unusable' };
  const bytes = await sandbox.get(path, { signal, maxBytes: MAX_REPORT_BYTES });
  return bytes === null ? { kind: 'missing' } : { kind: 'read', bytes };
}
