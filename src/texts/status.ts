import type { RefusalCode } from '../admission/types.ts';
import type { Outcome } from '../outcome.ts';
import type { Run } from '../store/types.ts';
import { BODY_BYTES, fitBlocks } from './limits.ts';
import { escaped, fencedProse, inline, mention } from './markdown.ts';
import { formatCount, formatDuration, formatMoment, formatNumber } from './numbers.ts';
import type { PublishRefusal } from './publish-refusal.ts';
import { PUBLISH_TEXTS, REFUSAL_TEXTS } from './refusals.ts';

/** How far an agent is, for the comment while it works. */
export interface Progress {
  readonly turn: number;
  readonly steps: number;
  readonly minutes: number;
  readonly closedProbes: number | null;
  readonly recorded: boolean;
}

/** The status comment of a run that has not ended. */
export function workingText(run: Run, progress: Progress | null, now: Date): string {
  const { admitted, trigger } = run;
  if (!admitted || !progress) {
    return `**Tadpole: queued.** Asked by ${mention(trigger.sender.login)} with the label ${inline(trigger.label)}. The issue’s text as of ${formatMoment(trigger.labelledAt)} was taken; later edits are not read.`;
  }
  const { turn, steps, minutes, closedProbes, recorded } = progress;
  const spent = formatDuration(now.getTime() - Date.parse(run.createdAt));
  const isolated =
    closedProbes === null ? '' : ` Sandbox isolated (${closedProbes} of ${closedProbes} probes closed).`;
  const model = recorded ? ' The model is a recorded model.' : '';
  return `**Tadpole: working**, turn ${formatNumber(turn)} of at most ${formatNumber(steps)}, ${spent} of at most ${minutes} min.${isolated}${model}`;
}

/** The status comment of a run that has ended, by its outcome. */
export function endedText(run: Run): string {
  const outcome = run.outcome ?? 'faulted';
  const text = ENDINGS[outcome](run);
  const note = run.worked?.agent.recorded
    ? '\n\nThe model was a recorded model: it played back what was recorded for this issue.'
    : '';
  return fitBlocks([{ text: `${text}${note}`, rank: 'must' }], BODY_BYTES);
}

const ENDINGS: Record<Outcome, (run: Run) => string> = {
  pr_opened: draftOpened,
  no_changes: (run) =>
    `**Tadpole made no draft: the model found nothing to change.** Nothing was pushed.${lastWords(run)}\n\nTo try again with a hint, edit the issue and set the label again.`,
  limit_reached: (run) =>
    `**Tadpole made no draft: ${limitText(run)}.** Nothing was pushed.${lastWords(run)}\n\nA smaller issue, or a hint where to look, may help; then set the label again.`,
  cancelled: ({ outcomeDetails }) =>
    `**Tadpole stopped: ${CANCEL_TEXTS[outcomeDetails.reason ?? ''] ?? 'the run was cancelled'}.** Nothing was pushed.`,
  change_refused: changeRefused,
  publish_refused: ({ outcomeDetails }) =>
    `**Tadpole opened no draft: ${textOf(PUBLISH_TEXTS, outcomeDetails.code, outcomeDetails)}`,
  refused: ({ outcomeDetails }) =>
    `**Tadpole did not start: ${textOf(REFUSAL_TEXTS, outcomeDetails.code, outcomeDetails)}`,
  faulted: ({ id, outcomeDetails }) =>
    `**Tadpole stopped: our fault, not your issue’s.** What happened: ${escaped(outcomeDetails.text ?? 'an unexpected error')}. It will not be retried by itself; set the label again later. For operators: run ${inline(id)}, fault ${inline(outcomeDetails.fault ?? 'internal')}.`,
};

const CANCEL_TEXTS: Readonly<Record<string, string>> = {
  label_removed: 'the label was taken off',
  issue_closed: 'the issue was closed',
  issue_deleted: 'the issue was deleted',
};

/** The sentence for a stored code; a code of another version has none and is shown as it is. */
function textOf<Code extends RefusalCode | PublishRefusal>(
  texts: Record<Code, (details: Readonly<Record<string, string>>) => string>,
  code: string | undefined,
  details: Readonly<Record<string, string>>,
): string {
  const found = Object.entries<(details: Readonly<Record<string, string>>) => string>(texts).find(
    ([name]) => name === code,
  );
  return found ? found[1](details) : `${escaped(code ?? 'unknown reason')}.**`;
}

function draftOpened({ published, worked }: Run): string {
  const number = published?.draft.number ?? 0;
  const comparison = worked?.verification?.comparison;
  const counts = comparison
    ? `${formatCount(comparison.fixed.length, 'test')} fixed, ${comparison.broken.length || 'none'} broken, ${formatNumber(comparison.stillPassing.length + comparison.stillFailing.length)} unchanged.`
    : `${capitalise(worked?.verification?.reason ?? 'nothing was measured')}.`;
  return `**Tadpole opened a draft: #${number}.** ${counts} Passing tests do not mean that this change is correct. Review it as you would a stranger’s patch.`;
}

const capitalise = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

function limitText({ worked }: Run): string {
  const agent = worked?.agent;
  if (!agent) return 'a limit was reached';
  switch (agent.exitReason) {
    case 'max_turns':
      return `its ${formatCount(agent.turns, 'turn')} were used up`;
    case 'max_context_len':
      return 'the model’s context was full';
    case 'max_tokens_per_turn':
      return 'the model’s answer was cut by its length limit';
    case 'max_time':
      return `its time was used up (${formatDuration(agent.durationMs)})`;
    case 'no_progress':
      return 'the model repeated itself without progress';
    default:
      return 'the model gave no answer';
  }
}

function changeRefused({ worked }: Run): string {
  const problems = worked?.change.kind === 'refused' ? worked.change.problems : [];
  const shown = problems.slice(0, 20).map((problem) => `- ${escaped(problem)}`);
  const more =
    problems.length > shown.length ? [`- and ${formatNumber(problems.length - shown.length)} more`] : [];
  return [
    '**Tadpole made no draft: the change touches what the policy or Tadpole itself protects.** Nothing was pushed.',
    '',
    ...shown,
    ...more,
  ].join('\n');
}

function lastWords({ worked }: Run): string {
  const words = worked?.agent.lastWords ?? '';
  return words === '' ? '' : ` Its last words, not checked:\n\n${fencedProse(words, 2_000)}`;
}
