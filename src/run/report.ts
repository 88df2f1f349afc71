import { toFault } from '../errors.ts';
import type { Forge } from '../forge/types.ts';
import type { Run } from '../store/types.ts';
import { checkRun } from '../texts/check.ts';
import { endedText, type Progress, workingText } from '../texts/status.ts';
import type { Held } from './lease.ts';
import { planReport } from './plan-report.ts';

export type ReportForge = Pick<Forge, 'ensureComment' | 'ensureLabelRemoved' | 'ensureCheck'>;

interface CallOptions {
  readonly signal: AbortSignal;
}

/** One write, by the name under which the diary of effects has it; resolves to what the diary keeps. */
interface Write {
  readonly name: string;
  readonly ensure: () => Promise<string>;
}

/** Marks the one status comment of a run. */
const marker = ({ id }: Pick<Run, 'id'>): string => `run=${id}`;

function listWrites(forge: ReportForge, run: Run, { signal }: CallOptions): readonly Write[] {
  const { repository: ref, issue, label } = run.trigger;
  const plan = planReport(run);
  const check = checkRun(run);
  const writes: Write[] = [];
  if (plan.comment) {
    const comment = { marker: marker(run), body: endedText(run) };
    const ensure = async () => (await forge.ensureComment(ref, issue, comment, { signal })).webUrl;
    writes.push({ name: 'status_comment', ensure });
  }
  if (check !== null) {
    const ensure = () => forge.ensureCheck(ref, check, { signal }).then(() => check.conclusion);
    writes.push({ name: 'check', ensure });
  }
  if (plan.labelRemoved) {
    const ensure = () => forge.ensureLabelRemoved(ref, issue, label, { signal }).then(() => 'removed');
    writes.push({ name: 'label', ensure });
  }
  return writes;
}

/**
 * The report stage: the one status comment, the check run on the draft's head, the label taken off. Each is ensured on its
 * own behind the fence. What fails is logged and never fails the run; resolves to the names of those worth another try.
 * Throws only when the lease is lost or the signal fires.
 */
export async function report(
  forge: ReportForge,
  { held, run }: { readonly held: Pick<Held, 'fence' | 'recordEffect' | 'log'>; readonly run: Run },
  { signal }: CallOptions,
): Promise<readonly string[]> {
  const again: string[] = [];
  for (const { name, ensure } of listWrites(forge, run, { signal })) {
    try {
      signal.throwIfAborted();
      await held.fence();
      await held.recordEffect(name, null);
      await held.recordEffect(name, await ensure());
    } catch (thrown) {
      const failure = toFault(thrown);
      if (failure.code === 'lease_lost' || signal.aborted) throw thrown;
      held.log.warn({ err: failure, effect: name }, 'report incomplete');
      if (failure.retryable) again.push(name);
    }
  }
  return again;
}

/** Brings the status comment of a run at work up to date. A courtesy: whoever calls it decides what a failure means. */
export async function reportProgress(
  forge: Pick<Forge, 'ensureComment'>,
  { run, progress, now }: { readonly run: Run; readonly progress: Progress | null; readonly now: Date },
  { signal }: CallOptions,
): Promise<void> {
  const { repository, issue } = run.trigger;
  const comment = { marker: marker(run), body: workingText(run, progress, now) };
  await forge.ensureComment(repository, issue, comment, { signal });
}
