/** What the status comment says when a run has ended, by its outcome: the news in bold, why, and what to do next. */
import type { Outcome } from '../outcome.ts';
import type { Run } from '../store/types.ts';
import { countResults } from './check.ts';
import { limitText } from './limit-endings.ts';
import { escaped, inline, inlineProse, sentence } from './markdown.ts';
import { formatCount, formatNumber } from './numbers.ts';
import { PUBLISH_TEXTS } from './publish-refusals.ts';
import { type Details, REFUSAL_TEXTS, type RefusalText } from './refusals.ts';
import { HEADLINES } from './warning.ts';

const PROBLEMS = 15;

function draftOpened({ published, worked, outcomeDetails }: Run): string {
  const verification = worked?.verification;
  const draft = published === null ? '' : `: #${published.draft.number}`;
  const counts = verification?.comparison ? ` ${countResults(verification.comparison)}.` : '';
  const { verdict = 'not_measurable', reason = 'no test was run' } = verification ?? {};
  const doubt = verdict === 'verified' ? '' : ` ${HEADLINES[verdict]}: ${reason}.`;
  const moved =
    outcomeDetails.baseMoved === undefined
      ? ''
      : ' The default branch has moved since the run began, so the draft may conflict with it.';
  return `**Tadpole opened a draft${draft}.**${doubt}${counts}${moved} Review it as you would a stranger's patch.`;
}

/** The model's last prose, quoted on one line; empty when it said nothing. */
function lastWords({ worked }: Run): string {
  const words = worked?.agent.lastWords.trim() ?? '';
  return words === '' ? '' : ` Its last words, not checked: ${inlineProse(words)}.`;
}

function noChanges(run: Run): string {
  const ignored = run.worked?.change.kind === 'none' ? run.worked.change.ignored : 0;
  const left =
    ignored === 0 ? '' : ` Only ignored files and caches differ (${formatCount(ignored, 'file')}).`;
  return `**Tadpole made no draft: the model found nothing to change.**${lastWords(run)}${left} Nothing was pushed. To try again with a hint, edit the issue and set the label again.`;
}

function limitReached(run: Run): string {
  const { why, mend } = limitText(run);
  return `**Tadpole made no draft: ${why}.** The model was stopped at work, so what it left is not offered. Nothing was pushed. ${mend}`;
}

const CANCEL_TEXTS: Readonly<Record<string, string>> = {
  label_removed:
    '**Tadpole stopped: the label was taken off.** Nothing was pushed. Set it again to start anew.',
  issue_closed:
    '**Tadpole stopped: the issue was closed.** Nothing was pushed. Open it and set the label again to start anew.',
  issue_deleted: '**Tadpole stopped: the issue was deleted.** Nothing was pushed.',
};

function cancelled({ outcomeDetails, cancelRequested }: Run): string {
  const text = findText(CANCEL_TEXTS, outcomeDetails.reason ?? cancelRequested ?? undefined);
  return (
    text ??
    '**Tadpole stopped: the run was cancelled.** Nothing was pushed. Set the label again to start anew.'
  );
}

function changeRefused({ worked }: Run): string {
  const problems = worked?.change.kind === 'refused' ? worked.change.problems : [];
  const lines = problems.slice(0, PROBLEMS).map((problem) => `- ${sentence(problem)}`);
  if (problems.length > PROBLEMS) lines.push(`- and ${formatNumber(problems.length - PROBLEMS)} more`);
  const list = lines.length === 0 ? ' ' : `\n\n${lines.join('\n')}\n\n`;
  return `**Tadpole made no draft: the change is one that the policy or Tadpole itself does not allow.**${list}Nothing was pushed. Say in the issue what must stay as it is, or change the policy file where it is too strict, and set the label again.`;
}

/** Own keys only: codes come from the store, and `constructor` is no text. */
function findText<Text>(texts: Readonly<Record<string, Text>>, code: string | undefined): Text | undefined {
  return code !== undefined && Object.hasOwn(texts, code) ? texts[code] : undefined;
}

/** A code that this version has no text for is shown as it is: a comment without a reason helps nobody. */
function unknownCode({ code = 'unknown' }: Details): RefusalText {
  return { why: `the reason has the code ${inline(code)}`, mend: 'Those who run Tadpole can look it up.' };
}

function refused({ outcomeDetails }: Run): string {
  const text = findText(REFUSAL_TEXTS, outcomeDetails.code) ?? unknownCode;
  const { why, mend } = text(outcomeDetails);
  return `**Tadpole did not start: ${why}.** ${mend}`;
}

function publishRefused({ outcomeDetails }: Run): string {
  const text = findText(PUBLISH_TEXTS, outcomeDetails.code) ?? unknownCode;
  const { why, mend } = text(outcomeDetails);
  return `**Tadpole opened no draft: ${why}.** ${mend}`;
}

function faulted({ id, outcomeDetails }: Run): string {
  const { fault = 'internal', text } = outcomeDetails;
  const what = text === undefined ? '' : ` What happened: ${escaped(text)}.`;
  return `**Tadpole stopped: our fault, not your issue's.**${what} It will not be retried by itself; set the label again later. For operators: run ${inline(id)}, fault ${inline(fault)}.`;
}

/** The comment's text for each outcome. */
export const ENDINGS: Readonly<Record<Outcome, (run: Run) => string>> = {
  pr_opened: draftOpened,
  no_changes: noChanges,
  limit_reached: limitReached,
  cancelled,
  change_refused: changeRefused,
  publish_refused: publishRefused,
  refused,
  faulted,
};
