import { join } from 'node:path';
import type { Base, Started } from './app.ts';
import { createGit } from './git.ts';
import type { QueueWorker } from './queue/types.ts';
import { startSweep } from './run/sweep.ts';
import { startWorker } from './run/worker.ts';

const SWEEP_MS = 15_000;

/** Git for the folders that this process made. */
export function openGit({ config, secrets }: Base) {
  const { dataFolder, cacheFolder, caFile, plainHttpHosts } = config;
  return createGit({
    secrets,
    folders: [join(dataFolder, 'tmp'), cacheFolder],
    caFile,
    plainHttpHosts: [...plainHttpHosts],
  });
}

/** A worker of one side, and the sweep that finds stranded runs. */
export async function startSide(
  base: Base,
  side: 'forge' | 'sandbox',
  step: Parameters<typeof startWorker>[0]['step'],
): Promise<Started> {
  const { config, log, store, queue, owner } = base;
  const { concurrency, leaseMs, shutdownGraceMs: graceMs } = config.work;
  const worker: QueueWorker = await startWorker({
    store,
    queue,
    log,
    owner,
    leaseMs,
    concurrency,
    side,
    step,
  });
  const sweep = startSweep({ store, queue, log, idleMs: leaseMs, everyMs: SWEEP_MS });
  return {
    async close() {
      sweep.stop();
      await worker.close({ graceMs });
    },
  };
}
