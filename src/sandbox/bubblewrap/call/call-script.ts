import { posix } from 'node:path';
import { fault } from '../../../errors.ts';
import { type ExecCall, type SandboxLimits, WORKSPACE } from '../../types.ts';

/**
 * What the first process of a call's namespaces, a shell, is told on its standard input. It runs inside, so that a word
 * it could misread would harm the sandbox alone. On fd 3 it says when it stands (everything on standard error before is
 * bwrap's), when the program begins, and how it ended: an ending without a record is never a result. Its own standard
 * error goes there too, because in it a shell tells "Killed" from `exit 137`. The program sees fd 0, 1 and 2 alone.
 */
export const READY_SCRIPT = "umask 022\nexec 4>&2 2>&3\nprintf 'ready\\n' >&3\n";

/** File descriptors that the script expects: 0 itself, 1 and 2 the program's, and these. */
export const STATUS_FD = 3;
export const STDIN_FD = 7;

/** Open files per process. */
const OPEN_FILES = 4096;
const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** How memory is limited where no control group does it: per process, by what it may allocate. */
export type MemoryLimit = 'control_group' | 'each_process';

function quote(word: string): string {
  if (word.includes('\0')) throw fault('internal', { detail: 'a sandbox call has a word with a NUL byte' });
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function limitsOf(limits: SandboxLimits, memoryLimit: MemoryLimit): string[] {
  return [
    '--core=0',
    `--fsize=${limits.fileBytes}`,
    `--nofile=${OPEN_FILES}`,
    // Counted per user namespace since Linux 5.14, and each call has its own: the host's processes don't count.
    `--nproc=${limits.processes}`,
    // Not the address space: runtimes reserve far more of that than they use.
    ...(memoryLimit === 'each_process' ? [`--data=${limits.memoryBytes}`] : []),
  ];
}

function exportsOf(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).map(([name, value]) => {
    if (!ENV_NAME.test(name))
      throw fault('internal', { detail: `${JSON.stringify(name)} can't name an environment variable` });
    return `export ${name}=${quote(value)}`;
  });
}

/**
 * What stands before the program: its standard input. Not the named pipe itself: who opens /dev/stdin after the writer has
 * gone would wait for ever on it, as on no real pipe. The `cat` is in the background, so that only the program is waited
 * for; it ends with the namespaces.
 */
const FROM_STDIN = '{ /bin/cat <&7 3>&- 4>&- 7<&- & } | (exec 2>&4 3>&- 4>&- 7<&-';
const FROM_NOTHING = '(exec 0</dev/null 2>&4 3>&- 4>&- 7<&-';

/** The rest of the script: one call. prlimit sets the limits and becomes the program, found by PATH as a shell would. */
export function callScript(
  call: Pick<ExecCall, 'argv' | 'cwd' | 'env' | 'stdin'>,
  limits: SandboxLimits,
  memoryLimit: MemoryLimit,
): string {
  const program = ['/usr/bin/prlimit', ...limitsOf(limits, memoryLimit), '--', ...call.argv.map(quote)];
  const cwd = posix.resolve(WORKSPACE, call.cwd ?? '.');
  return [
    `printf 'started\\n' >&3`,
    call.stdin === undefined ? FROM_NOTHING : FROM_STDIN,
    `cd -- ${quote(cwd)} || exit 126`,
    `unset OLDPWD SHLVL`,
    ...exportsOf(call.env ?? {}),
    `exec ${program.join(' ')})`,
    `printf 'exit %d\\n' "$?" >&3`,
    'exit\n',
  ].join('\n');
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

/** The script stands and waits for its call. */
export function isReady(status: string): boolean {
  return status.startsWith('ready\n');
}

/**
 * Reads what the script wrote. Shells keep silent about SIGINT and SIGPIPE, so those two stay exit codes 130 and 141.
 * The program can forge the record, as it can choose its own exit code: it says nothing about anybody else.
 */
export function parseCallRecord(status: string): CallRecord {
  const lines = status.split('\n');
  if (lines[0] !== 'ready' || lines[1] !== 'started') return { kind: 'not_started' };
  const last = EXIT_LINE.exec(lines.at(-2) ?? '');
  if (last === null || lines.at(-1) !== '') return { kind: 'unfinished' };
  const code = Number(last[1]);
  const message = lines.slice(2, -2).join('').trim();
  const isSignal = code > SIGNAL_BASE && code <= SIGNAL_BASE + SIGNAL_MAX && message !== '';
  return isSignal ? { kind: 'signalled', signal: code - SIGNAL_BASE } : { kind: 'exited', exitCode: code };
}
