import type { Forge } from '../forge/types.ts';
import type { Log } from '../log.ts';
import type { Run, Store } from '../store/types.ts';
import { reportProgress } from './report.ts';
import { toProgress } from './to-progress.ts';

export interface ProgressOptions {
  readonly store: Pick<Store, 'listRuns' | 'readRun' | 'readEvents'>;
  readonly forge: Pick<Forge, 'ensureComment'>;
  readonly log: Log;
  readonly everyMs: number;
  readonly recorded: boolean;
  readonly signal: AbortSignal;
}

const RECENT = 100;

/**
 * Keeps the status comments of runs at work up to date from the events that the sandbox side stores: that side has no
 * credential to write them itself. A comment is touched only when there is news.
 */
export function startProgress(options: ProgressOptions): { stop(): void } {
  const told = new Map<string, number>();
  let busy = false;
  const look = async () => {
    if (busy) return;
    busy = true;
    try {
      for (const run of await options.store.listRuns({ limit: RECENT })) await tell(run, told, options);
    } catch (err) {
      options.log.warn({ err }, 'progress not told');
    } finally {
      busy = false;
    }
  };
  const timer = setInterval(() => void look(), options.everyMs);
  return { stop: () => clearInterval(timer) };
}

async function tell(run: Run, told: Map<string, number>, options: ProgressOptions): Promise<void> {
  if (run.state !== 'prepared') return void told.delete(run.id);
  const events = await options.store.readEvents(run.id, 0);
  const last = events.at(-1)?.seq ?? 0;
  if (last === told.get(run.id)) return;
  const progress = toProgress(run, events, options.recorded);
  // Asked again right before writing: a comment of a run that has ended meanwhile must not be set back.
  if (!progress || (await options.store.readRun(run.id))?.state !== 'prepared') return;
  await reportProgress(options.forge, { run, progress, now: new Date() }, { signal: options.signal });
  told.set(run.id, last);
}
