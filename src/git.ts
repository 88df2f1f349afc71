import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { Fault, fault } from './errors.ts';
import type { GitAccess } from './forge/types.ts';
import { type GitSettings, gitEnvironment, hardeningArgs } from './git/environment.ts';
import { toGitFault } from './git/failure.ts';
import { collectHead, endWith, type GitProcess, startGit } from './git/process.ts';
import type { Secrets } from './secrets.ts';

/** Kept of standard error; what comes after is read and dropped. */
const STDERR_BYTES = 64 * 1024;
const OUTPUT_BYTES = 64 * 1024 * 1024;
const SYSTEM_CA_FOLDER = '/etc/ssl/certs';
const LOCAL_TIMEOUT_MS = 10 * 60_000;

export interface GitCall {
  /** The bare repository (for `init`: its empty folder), inside a folder that `createGit` was given. git runs nowhere else (T03). */
  readonly cwd: string;
  /** Subcommand and arguments. Names from outside come after `--end-of-options`, refs as `refs/…`, commits by id. */
  readonly args: readonly [string, ...string[]];
  readonly stdin?: Uint8Array | AsyncIterable<Uint8Array>;
  /** Added to the built environment, such as GIT_INDEX_FILE or an identity. */
  readonly env?: Readonly<Record<string, string>>;
  /** Given when the call talks to a forge; its headers reach this one process by its environment. */
  readonly access?: GitAccess;
  readonly timeoutMs?: number;
  /** More output than this ends the call with a fault. Default 64 MiB. */
  readonly maxOutputBytes?: number;
  /** Exit codes other than 0 that are results. */
  readonly accept?: readonly number[];
}

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  /** Redacted, capped at 64 KiB. */
  readonly stderr: string;
}

interface CallOptions {
  readonly signal: AbortSignal;
}

/** The only way to git on our side. Faults: `git_failed` and what `git/failure.ts` makes of it; abort throws the signal's reason. */
export interface Git {
  run(call: GitCall, options: CallOptions): Promise<GitResult>;
  /** Standard output piece by piece with flat memory; throws at its end when git failed. */
  stream(call: GitCall, options: CallOptions): AsyncGenerator<Uint8Array, void, undefined>;
}

export interface GitOptions extends Partial<GitSettings> {
  readonly secrets: Pick<Secrets, 'redact'>;
  /** Absolute folders that Tadpole made for its repositories. */
  readonly folders: readonly string[];
}

const DEFAULTS: GitSettings = {
  path: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  caFile: null,
  caFolder: existsSync(SYSTEM_CA_FOLDER) ? SYSTEM_CA_FOLDER : null,
  plainHttpHosts: [],
};

export function createGit({ secrets, folders, ...given }: GitOptions): Git {
  const settings: GitSettings = { ...DEFAULTS, ...given };

  async function* pieces(
    call: GitCall,
    { signal }: CallOptions,
  ): AsyncGenerator<Uint8Array, Omit<GitResult, 'stdout'>, undefined> {
    await assertOurs(call.cwd, folders);
    signal.throwIfAborted();
    const child = startGit(toProcess(call, settings));
    const ending = endWith(child.pid, { signal, timeoutMs: call.timeoutMs ?? LOCAL_TIMEOUT_MS });
    try {
      const stderr = collectHead(child.stderr, STDERR_BYTES);
      for await (const piece of child.stdout) yield piece;
      const result = await child;
      ending.ended();
      signal.throwIfAborted();
      // A fault of whoever fed standard input is the cause, git's own complaint a consequence.
      if (result.cause instanceof Fault) throw result.cause;
      const said = secrets.redact(await stderr);
      return judgeEnding({ call, exitCode: result.exitCode, stderr: said, timedOut: ending.timedOut() });
    } finally {
      ending.dispose();
    }
  }

  return {
    async run(call, options) {
      const limit = call.maxOutputBytes ?? OUTPUT_BYTES;
      const kept: Uint8Array[] = [];
      let bytes = 0;
      const source = pieces(call, options);
      for (;;) {
        const next = await source.next();
        if (next.done) return { ...next.value, stdout: Buffer.concat(kept) };
        bytes += next.value.length;
        if (bytes > limit) {
          await source.return({ exitCode: 1, stderr: '' });
          const detail = `git ${call.args[0]} wrote more than ${limit} bytes`;
          throw fault('git_failed', { detail, retryable: false });
        }
        kept.push(next.value);
      }
    },
    async *stream(call, options) {
      yield* pieces(call, options);
    },
  };
}

/** Resolves links first, so that no link inside our folders leads git elsewhere. */
async function assertOurs(cwd: string, folders: readonly string[]): Promise<void> {
  const real = await realpath(cwd);
  for (const folder of folders) {
    const root = await realpath(folder).catch(() => null);
    if (root !== null && (real === root || real.startsWith(root + path.sep))) return;
  }
  throw fault('internal', { detail: `git was to run in ${cwd}, which is none of Tadpole's folders` });
}

function toProcess({ cwd, args, stdin, env, access }: GitCall, settings: GitSettings): GitProcess {
  return {
    cwd,
    args: [...hardeningArgs(settings, access), ...args],
    // Named outright: git never goes looking for a repository.
    env: { ...gitEnvironment(settings, access), GIT_DIR: cwd, ...env },
    stdin,
  };
}

function judgeEnding(ended: {
  readonly call: GitCall;
  readonly exitCode: number | undefined;
  readonly stderr: string;
  readonly timedOut: boolean;
}): Omit<GitResult, 'stdout'> {
  const { call, exitCode, stderr, timedOut } = ended;
  const [command] = call.args;
  if (timedOut) {
    const detail = `git ${command} did not end within ${call.timeoutMs ?? LOCAL_TIMEOUT_MS} ms`;
    throw fault('git_failed', { detail, publicDetail: 'git took too long' });
  }
  if (exitCode !== undefined && (exitCode === 0 || call.accept?.includes(exitCode)))
    return { exitCode, stderr };
  const host = call.access ? (URL.parse(call.access.url)?.host ?? null) : null;
  throw toGitFault({ command, exitCode: exitCode ?? null, stderr, host });
}
