import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBubblewrap, type TestSeam } from '../../src/sandbox/bubblewrap/bubblewrap.ts';
import type { BubblewrapOptions } from '../../src/sandbox/bubblewrap/config.ts';
import type {
  ExecCall,
  ExecResult,
  KeptOutput,
  Sandbox,
  SandboxLimits,
  SandboxProvider,
  SandboxSpec,
} from '../../src/sandbox/types.ts';

export const MIB = 1024 * 1024;

export const LIMITS: SandboxLimits = {
  memoryBytes: 512 * MIB,
  processes: 128,
  fileBytes: 512 * MIB,
  lifetimeMs: 600_000,
};

/** A signal that nobody aborts. */
export const never = (): AbortSignal => new AbortController().signal;

export function specFor(runId: string, limits: Partial<SandboxLimits> = {}): SandboxSpec {
  return { runId, purpose: 'agent', image: null, limits: { ...LIMITS, ...limits } };
}

/** A folder that every user may walk through: root's sandboxes run as another user. */
export async function openFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  await chmod(folder, 0o755);
  return folder;
}

export interface BubblewrapWorld {
  readonly provider: SandboxProvider;
  readonly stateDir: string;
  /** Destroys what was made by `create` and removes the state folder. */
  close(): Promise<void>;
  create(limits?: Partial<SandboxLimits>): Promise<Sandbox>;
}

/** A real bubblewrap provider over a state folder of its own. */
export async function openBubblewrap(
  options: Partial<BubblewrapOptions> = {},
  seam?: TestSeam,
): Promise<BubblewrapWorld> {
  const stateDir = await openFolder('tadpole-sandboxes-');
  const provider = createBubblewrap({ stateDir, ...options }, seam);
  const made: Sandbox[] = [];
  return {
    provider,
    stateDir,
    async create(limits) {
      const sandbox = await provider.create(specFor('run-1', limits), { signal: never() });
      made.push(sandbox);
      return sandbox;
    },
    async close() {
      for (const sandbox of made) await sandbox.destroy();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}

let calls = 0;

/** Runs a call under a fresh id. */
export function run(
  sandbox: Sandbox,
  argv: ExecCall['argv'],
  { signal = never(), ...rest }: Partial<Omit<ExecCall, 'argv'>> & { signal?: AbortSignal } = {},
): Promise<ExecResult> {
  calls += 1;
  return sandbox.exec({ id: `call-${calls}`, argv, timeoutMs: 120_000, ...rest }, { signal });
}

/** Runs a shell command under a fresh id. */
export function sh(
  sandbox: Sandbox,
  command: string,
  rest: Partial<Omit<ExecCall, 'argv'>> & { signal?: AbortSignal } = {},
): Promise<ExecResult> {
  return run(sandbox, ['/bin/sh', '-c', command], rest);
}

/** What was kept of a stream, as text. */
export function text({ head, tail }: KeptOutput): string {
  return Buffer.concat([head, tail]).toString('utf8');
}

/** Starts 80 processes that stay, and prints how many there are after each; ends where one can't be made. */
export const COUNT_FORKS =
  'i=0; while [ $i -lt 80 ]; do sleep 20 & i=$((i + 1)); echo $i; done 2> /dev/null; kill -9 -1';
