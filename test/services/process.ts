import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';

/** Full path of a program: in the folders given, else in PATH; null when it is not there. */
export function findProgram(name: string, folders: readonly string[] = []): string | null {
  for (const folder of [...folders, ...(process.env.PATH ?? '').split(delimiter)]) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {}
  }
  return null;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

export interface Program {
  readonly pid: number;
  signal(signal: NodeJS.Signals): void;
  /** Signals and waits for the end; SIGKILL when it takes longer than 10 s. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/**
 * Starts a server and waits for a line that tells that it is ready. It dies with this process, however this process ends:
 * through the kernel where `setpriv` is there, else by a hook that a SIGKILL would skip.
 */
export async function startProgram(options: {
  readonly command: readonly string[];
  readonly ready: RegExp;
  readonly user?: { readonly uid: number; readonly gid: number };
}): Promise<Program> {
  const setpriv = findProgram('setpriv');
  const guard = setpriv ? [setpriv, '--pdeathsig', 'KILL'] : [];
  const as = options.user && setpriv ? userArguments(options.user) : [];
  const [file = '', ...args] = [...guard, ...as, ...options.command];
  const child = spawn(file, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  void ended.then(() => process.off('exit', kill));
  await waitForLine(child, options.ready);
  return {
    pid: child.pid ?? 0,
    signal: (signal) => void child.kill(signal),
    async end(signal) {
      child.kill('SIGCONT');
      child.kill(signal);
      const timer = setTimeout(kill, 10_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

function userArguments({ uid, gid }: { readonly uid: number; readonly gid: number }): string[] {
  return ['--reuid', String(uid), '--regid', String(gid), '--clear-groups'];
}

function waitForLine(child: ChildProcess, ready: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let seen = '';
    const read = (chunk: Buffer) => {
      seen = (seen + chunk.toString()).slice(-20_000);
      if (ready.test(seen)) resolve();
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`server ended with ${code} before it was ready:\n${seen}`)),
    );
  });
}

/** Numbers of the unprivileged user that servers run as when we are root. */
export function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    try {
      const number = (flag: string) =>
        Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }));
      return { uid: number('-u'), gid: number('-g') };
    } catch {}
  }
  return undefined;
}
