import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, freePort, type Program, startProgram } from './process.ts';

const program = findProgram('redis-server');

/** Reason to skip tests that need a real Redis; false when it can be started. */
export const redisMissing = program ? false : 'redis-server is not installed';

export interface RedisService {
  readonly url: string;
  readonly port: number;
  /** Stops the process, as `SIGSTOP` does: connections stay, answers do not come. */
  pause(): void;
  resume(): void;
  /** `SIGKILL`: what is not on the disk is gone. */
  kill(): Promise<void>;
  /** Starts again on the same port and folder. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A throw-away Redis on a random port; `args` are further options such as `['--appendonly', 'yes']`. */
export async function startRedis(args: readonly string[] = []): Promise<RedisService> {
  if (!program) throw new Error('redis-server is not installed');
  const dir = await mkdtemp(join(tmpdir(), 'tadpole-redis-'));
  const port = await freePort();
  let server: Program | null = null;
  const start = async () => {
    const where = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir];
    const command = [program, ...where, '--save', '', '--daemonize', 'no', ...args];
    server = await startProgram({ command, ready: /Ready to accept connections/ });
  };
  const end = async (signal: NodeJS.Signals) => {
    await server?.end(signal);
    server = null;
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    start,
    pause: () => server?.signal('SIGSTOP'),
    resume: () => server?.signal('SIGCONT'),
    kill: () => end('SIGKILL'),
    async stop() {
      await end('SIGTERM');
      await rm(dir, { recursive: true, force: true });
    },
  };
}
