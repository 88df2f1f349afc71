import type { Run } from '../store/types.ts';

/** What the report stage may touch on the issue. */
export interface ReportPlan {
  readonly comment: boolean;
  readonly labelRemoved: boolean;
}

/** Nothing to write to, or nobody to answer: bots that answer bots never end. */
const SILENT: ReadonlySet<string> = new Set([
  'sender_is_bot',
  'repository_gone',
  'repository_archived',
  'repository_disabled',
  'issue_gone',
  'issue_deleted',
]);

/** The label is not ours to remove, is off already, or has been set again for another run, which it would stop. */
const LABEL_STAYS: ReadonlySet<string> = new Set([
  'label_not_ours',
  'label_gone',
  'label_removed',
  'already_running',
]);

/** Decides by how the run ended: the refusal's code or the cancellation's reason. */
export function planReport({ outcome, outcomeDetails, cancelRequested }: Run): ReportPlan {
  const cancelReason = outcome === 'cancelled' ? (outcomeDetails.reason ?? cancelRequested ?? '') : '';
  const reason = outcome === 'cancelled' ? cancelReason : (outcomeDetails.code ?? '');
  const isSilent = SILENT.has(reason);
  return { comment: !isSilent, labelRemoved: !isSilent && !LABEL_STAYS.has(reason) };
}
