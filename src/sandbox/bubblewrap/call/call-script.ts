import type { SandboxLimits } from '../../types.ts';

/**
 * PID 1 of every call. It says on fd 3 that the sandbox stands (everything on standard error before is bwrap's), runs the
 * program as its child, and records how it ended: an ending without a record is never a result. Its own standard error
 * goes to fd 3 as well, because there a shell tells "Killed" from `exit 137`. The program sees neither fd 3 nor fd 4.
 */
const CALL_SCRIPT = `exec 4>&2 2>&3
printf 'started\\n' >&3
(exec 2>&4 3>&- 4>&-; exec "$@")
printf 'exit %d\\n' "$?" >&3`;

/** The file descriptor on which the script reports. */
export const STATUS_FD = 3;

/** Open files per process. */
const OPEN_FILES = 4096;

/** How memory is limited where no control group does it: per process, by what it may allocate. */
export type MemoryLimit = 'control_group' | 'each_process';

/** The argv that bwrap starts for a call: the script, then prlimit, which becomes the program. */
export function callArgv(
  argv: readonly string[],
  limits: SandboxLimits,
  memoryLimit: MemoryLimit,
): readonly string[] {
  return [
    ...['/bin/sh', '-c', CALL_SCRIPT, 'sh'],
    '/usr/bin/prlimit',
    '--core=0',
    `--fsize=${limits.fileBytes}`,
    `--nofile=${OPEN_FILES}`,
    // Counted per user namespace since Linux 5.14, and each call has its own: the host's processes don't count.
    `--nproc=${limits.processes}`,
    // Not the address space: runtimes reserve far more of that than they use.
    ...(memoryLimit === 'each_process' ? [`--data=${limits.memoryBytes}`] : []),
    ...['--', ...argv],
  ];
}

/** How a call ended according to its script. */
export type CallRecord =
  | { readonly kind: 'not_started' }
  | { readonly kind: 'unfinished' }
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'signalled'; readonly signal: number };

const EXIT_LINE = /^exit (\d{1,3})$/;
const SIGNAL_BASE = 128;
const SIGNAL_MAX = 64;

/**
 * Reads what the script wrote. Shells keep silent about SIGINT and SIGPIPE, so those two stay exit codes 130 and 141.
 * The program can forge the record, as it can choose its own exit code: it says nothing about anybody else.
 */
export function parseCallRecord(text: string): CallRecord {
  const lines = text.split('\n');
  if (lines[0] !== 'started') return { kind: 'not_started' };
  const last = EXIT_LINE.exec(lines.at(-2) ?? '');
  if (last === null || lines.at(-1) !== '') return { kind: 'unfinished' };
  const code = Number(last[1]);
  const message = lines.slice(1, -2).join('').trim();
  const isSignal = code > SIGNAL_BASE && code <= SIGNAL_BASE + SIGNAL_MAX && message !== '';
  return isSignal ? { kind: 'signalled', signal: code - SIGNAL_BASE } : { kind: 'exited', exitCode: code };
}
