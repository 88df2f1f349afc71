import { execa } from 'execa';

export interface GitProcess {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Uint8Array | AsyncIterable<Uint8Array> | undefined;
}

/** Starts git with exactly this environment, in a process group of its own. */
export function startGit({ cwd, args, env, stdin }: GitProcess) {
  return execa('git', args, {
    cwd,
    env,
    extendEnv: false,
    stdin: stdin === undefined ? 'ignore' : [stdin],
    stdout: 'pipe',
    stderr: 'pipe',
    buffer: false,
    encoding: 'buffer',
    reject: false,
    // git's helpers (remote-https, index-pack) are of its group and end with it.
    detached: true,
  });
}

/** Kills the whole group at abort, at the time-out, and when the reader walks away. */
export function endWith(
  pid: number | undefined,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
) {
  let late = false;
  let over = pid === undefined;
  const kill = () => {
    if (over || pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The group is gone already.
    }
  };
  const timer = setTimeout(() => {
    late = true;
    kill();
  }, timeoutMs);
  signal.addEventListener('abort', kill, { once: true });
  return {
    timedOut: () => late,
    ended: () => {
      over = true;
    },
    dispose: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', kill);
      kill();
    },
  };
}

/** The beginning of a stream as text; what comes after is read and dropped. */
export async function collectHead(stream: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of stream) {
    if (bytes < limit) kept.push(piece.subarray(0, limit - bytes));
    bytes += piece.length;
  }
  return Buffer.concat(kept).toString('utf8');
}
