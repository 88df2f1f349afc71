import type { Stage } from '../outcome.ts';
import type { Run } from '../store/types.ts';
import { ENDINGS } from './endings.ts';
import { BODY_BYTES, fitBlocks } from './limits.ts';
import { inline, mention } from './markdown.ts';
import { formatMinutes, formatMoment, formatNumber } from './numbers.ts';
import { RECORDED } from './warning.ts';

/** How far a run at work is. */
export interface Progress {
  readonly stage: Stage;
  /** Model turns so far; null before the first. */
  readonly turn: number | null;
  /** When the agent began, ISO 8601; null before that. */
  readonly agentStartedAt: string | null;
  /** What the probe of the agent's sandbox found; null before it. */
  readonly probes: { readonly closed: number; readonly total: number } | null;
  readonly recorded: boolean;
}

/** What a stage does, for people. The agent's stage says its turns instead. */
const STAGE_WORDS: Readonly<Partial<Record<Stage, string>>> = {
  prepare: 'fetching the repository',
  sandbox: 'making the sandbox',
  change: 'looking at the change',
  verification: 'running the tests, without and with the change',
  publish: 'opening the draft',
  report: 'opening the draft',
};

function queuedText({ trigger, admitted }: Run): string {
  const takenAt = formatMoment(admitted?.pinned.takenAt ?? trigger.labelledAt);
  return `**Tadpole: queued.** Asked by ${mention(trigger.sender.login)} with the label ${inline(trigger.label)}. The issue's text as of ${takenAt} was taken; later edits are not read.`;
}

function atWork({ admitted }: Run, { stage, turn, agentStartedAt }: Progress, now: Date): string {
  const words = STAGE_WORDS[stage];
  if (words !== undefined) return words;
  const limits = admitted?.policy.limits;
  if (turn === null || limits === undefined) return 'the model begins';
  const spentMs = agentStartedAt === null ? 0 : Math.max(0, now.getTime() - Date.parse(agentStartedAt));
  const turns = `turn ${formatNumber(turn)} of at most ${formatNumber(limits.steps)}`;
  return `${turns}, ${formatMinutes(spentMs)} of at most ${formatNumber(limits.minutes)} min`;
}

/** The status comment of a run that has not ended; without progress it is still in the queue. `now` is the clock's. */
export function workingText(run: Run, progress: Progress | null, now: Date): string {
  if (progress === null) return queuedText(run);
  const { probes, recorded } = progress;
  const isolated =
    probes === null
      ? ''
      : ` Sandbox isolated (${formatNumber(probes.closed)} of ${formatNumber(probes.total)} probes closed).`;
  const note = recorded ? ` ${RECORDED}` : '';
  return `**Tadpole: working**, ${atWork(run, progress, now)}.${isolated}${note}`;
}

/** The status comment of a run that has ended. A run without an outcome has none to tell and is told as our fault. */
export function endedText(run: Run): string {
  const text = ENDINGS[run.outcome ?? 'faulted'](run);
  const note = run.worked?.agent.recorded ? RECORDED : '';
  const blocks = [text, note].map((block) => ({ text: block, rank: 'must' }) as const);
  return fitBlocks(blocks, BODY_BYTES);
}
