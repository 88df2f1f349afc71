import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, freePort, type Program, startProgram, unprivilegedUser } from './process.ts';

/** Debian keeps the server's programs out of PATH. */
const FOLDERS = versionsIn('/usr/lib/postgresql').map((version) => `/usr/lib/postgresql/${version}/bin`);
const initdb = findProgram('initdb', FOLDERS);
const postgres = findProgram('postgres', FOLDERS);
const user = unprivilegedUser();
const setpriv = findProgram('setpriv');

/** Reason to skip tests that need a real PostgreSQL; false when it can be started. */
export const postgresMissing = reasonToSkip();

function reasonToSkip(): string | false {
  if (!initdb || !postgres) return 'postgresql is not installed';
  if (process.getuid?.() === 0 && !(user && setpriv))
    return 'postgresql refuses root, and there is no other user';
  return false;
}

function versionsIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort((a, b) => Number(b) - Number(a));
  } catch {
    return [];
  }
}

export interface PostgresService {
  readonly url: string;
  readonly port: number;
  pause(): void;
  resume(): void;
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A throw-away PostgreSQL on a random port of the loopback, without passwords; `settings` are lines of its configuration. */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresService> {
  if (!initdb || !postgres) throw new Error('postgresql is not installed');
  const dir = await mkdtemp(join(tmpdir(), 'tadpole-postgres-'));
  if (user) await chown(dir, user.uid, user.gid);
  const port = await freePort();
  initialise(initdb, dir);
  let server: Program | null = null;
  const start = async () => {
    const where = ['-D', dir, '-p', String(port), '-h', '127.0.0.1', '-k', ''];
    const command = [postgres, ...where, ...settings.flatMap((setting) => ['-c', setting])];
    const ready = /database system is ready to accept connections/;
    server = await startProgram({ command, ready, ...(user && { user }) });
  };
  const end = async (signal: NodeJS.Signals) => {
    await server?.end(signal);
    server = null;
  };
  await start();
  return {
    url: `postgresql://tadpole@127.0.0.1:${port}/postgres`,
    port,
    start,
    pause: () => server?.signal('SIGSTOP'),
    resume: () => server?.signal('SIGCONT'),
    kill: () => end('SIGKILL'),
    async stop() {
      await end('SIGINT');
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function initialise(program: string, dir: string): void {
  const command = [program, '-D', dir, '-U', 'tadpole', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'];
  const as = user ? [setpriv ?? '', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : [];
  const [file = '', ...args] = [...as, ...command];
  execFileSync(file, args, { stdio: 'pipe' });
}
