import { byteLength } from '../clip.ts';
import { fault } from '../errors.ts';
import type { Run } from '../store/types.ts';
import type { Verification } from '../verification/types.ts';
import { changedFiles, lookAt } from './changed-files.ts';
import { type Block, BODY_BYTES, fitBlocks, TITLE_BYTES } from './limits.ts';
import { mention, plain } from './markdown.ts';
import { formatMoment } from './numbers.ts';
import { originDetails } from './origin.ts';
import { comparisonLists, failureDetails, headline, resultTable } from './results.ts';
import { RECORDED, TITLE_PREFIXES, WARNING } from './warning.ts';

const must = (text: string): Block => ({ text, rank: 'must' });
const may = (text: string): Block => ({ text, rank: 'may' });

/** Title of the draft: the verdict where it is no good news, the title neutralised, the issue. */
export function draftTitle({ trigger, worked }: Pick<Run, 'trigger' | 'worked'>): string {
  const prefix = TITLE_PREFIXES[worked?.verification?.verdict ?? 'not_measurable'];
  const suffix = ` (#${trigger.issue})`;
  const room = TITLE_BYTES - byteLength(prefix) - byteLength(suffix);
  return `${prefix}${plain(trigger.title, room) || 'Change for an issue'}${suffix}`;
}

/** Verdict, table, lists: what a reviewer reads first. */
function findings(verification: Verification, baseCommit: string): readonly Block[] {
  const { comparison } = verification;
  return [
    must(headline(verification)),
    must(resultTable(verification, baseCommit)),
    must(comparison === null ? '' : comparisonLists(comparison)),
  ];
}

function notTested({ notTested: facts }: Verification): Block {
  return must(`**Not tested**: ${facts.join('; ')}.`);
}

/** The parts of a run that a draft is made from; a run without them never comes to have one. */
function toParts({ admitted, prepared, worked }: Run) {
  if (!admitted || !prepared || worked?.change.kind !== 'changed' || !worked.verification)
    throw fault('internal', { detail: 'a draft was asked for a run without a verified change' });
  return { admitted, prepared, worked, change: worked.change, verification: worked.verification };
}

/**
 * Body of the draft, within the forges' limits. Pure: the same stored run always gives the same text, so that a repeat
 * changes nothing. Strangers' words are neutralised; the model's stand in one quoted place, last.
 */
export function draftBody(run: Run): string {
  const { admitted, prepared, worked, change, verification } = toParts(run);
  const { trigger } = run;
  const { takenAt } = admitted.pinned;
  return fitBlocks(
    [
      must(`Draft for #${trigger.issue}, asked by ${mention(trigger.sender.login)}. **${WARNING}**`),
      must(worked.agent.recorded ? `**${RECORDED}**` : ''),
      ...findings(verification, prepared.base.commit),
      must(changedFiles(change)),
      must(lookAt(change)),
      notTested(verification),
      must(`Only the issue's text as of ${formatMoment(takenAt)} was read; what was written later was not.`),
      may(failureDetails(verification)),
      may(originDetails({ runId: run.id, admitted, prepared, worked })),
    ],
    BODY_BYTES,
  );
}

/** The results alone, for the check run: no account of the model, no output. */
export function resultText(verification: Verification, baseCommit: string): string {
  const blocks = [must(`**${WARNING}**`), ...findings(verification, baseCommit), notTested(verification)];
  return fitBlocks(blocks, BODY_BYTES);
}
