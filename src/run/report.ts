import { toFault } from '../errors.ts';
import type { Forge } from '../forge/types.ts';
import type { Run } from '../store/types.ts';
import { checkRun } from '../texts/check.ts';
import { endedText, type Progress, workingText } from '../texts/status.ts';
import type { Held } from './lease.ts';

export type ReportForge = Pick<Forge, 'ensureComment' | 'ensureLabelRemoved' | 'ensureCheck'>;

interface CallOptions {
  readonly signal: AbortSignal;
}

const marker = (run: Pick<Run, 'id'>) => `run=${run.id}`;

/**
 * The report stage: the one status comment, the check run on the draft's head, the label taken off. Each is ensured on its
 * own; what fails is logged and told by name, so that the caller can try again. Only a lost lease stops it.
 */
export async function report(
  forge: ReportForge,
  { held, run }: { readonly held: Pick<Held, 'fence' | 'recordEffect' | 'log'>; readonly run: Run },
  { signal }: CallOptions,
): Promise<readonly string[]> {
  const { repository: ref, issue, label } = run.trigger;
  const check = checkRun(run);
  const writes: readonly (readonly [string, () => Promise<unknown>])[] = [
    [
      'status_comment',
      () => forge.ensureComment(ref, issue, { marker: marker(run), body: endedText(run) }, { signal }),
    ],
    ...(check ? [['check', () => forge.ensureCheck(ref, check, { signal })] as const] : []),
    ['label', () => forge.ensureLabelRemoved(ref, issue, label, { signal })],
  ];
  const failed: string[] = [];
  for (const [name, write] of writes) {
    try {
      await held.fence();
      await held.recordEffect(name, null);
      await write();
      await held.recordEffect(name, 'done');
    } catch (thrown) {
      const failure = toFault(thrown);
      if (failure.code === 'lease_lost') throw failure;
      held.log.warn({ err: failure, effect: name }, 'report incomplete');
      failed.push(name);
    }
  }
  return failed;
}

/** Brings the status comment of a run at work up to date. Never more than a courtesy: failures are the caller's to log. */
export async function reportProgress(
  forge: Pick<Forge, 'ensureComment'>,
  { run, progress, now }: { readonly run: Run; readonly progress: Progress | null; readonly now: Date },
  { signal }: CallOptions,
): Promise<void> {
  const body = workingText(run, progress, now);
  await forge.ensureComment(
    run.trigger.repository,
    run.trigger.issue,
    { marker: marker(run), body },
    { signal },
  );
}
