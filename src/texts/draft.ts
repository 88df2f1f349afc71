import type { FileChange, Worked } from '../run/types.ts';
import type { Run } from '../store/types.ts';
import type { Comparison, SuiteResult, Verdict, Verification } from '../verification/types.ts';
import { type Block, BODY_BYTES, fitBlocks, TITLE_BYTES } from './limits.ts';
import { escaped, fenced, fencedProse, inline, mention, plain } from './markdown.ts';
import { formatCount, formatDuration, formatMoment, formatNumber, shortCommit } from './numbers.ts';
import { WARNING } from './warning.ts';

const PREFIXES: Record<Verdict, string> = {
  verified: '',
  unproven: '[unproven] ',
  regression: '[broken tests] ',
  not_measurable: '[not measured] ',
  no_tests: '[no tests] ',
};

const HEADLINES: Record<Verdict, string> = {
  verified: '**Verified as far as tests can**',
  unproven: '**Unproven**',
  regression: '**Tests are broken**',
  not_measurable: '**Not measured**',
  no_tests: '**No tests were run**',
};

/** Title of the draft, the commit's first line too: a pure function of stored values, so that a retry makes the same commit. */
export function draftTitle({ trigger, worked }: Run): string {
  const prefix = PREFIXES[worked?.verification?.verdict ?? 'not_measurable'];
  const suffix = ` (#${trigger.issue})`;
  return `${prefix}${plain(trigger.title, TITLE_BYTES - 64) || 'Change for an issue'}${suffix}`;
}

/** Body of the draft. Everything in it is measured or ours; the model's words stand quoted at the end. */
export function draftBody(run: Run): string {
  const { trigger, worked, admitted } = run;
  const verification = worked?.verification;
  if (!worked || !admitted || !verification || worked.change.kind !== 'changed') return WARNING;
  const { change } = worked;
  const blocks: Block[] = [
    must(`Draft for #${trigger.issue}, asked by ${mention(trigger.sender.login)}. **${WARNING}**`),
    must(
      worked.agent.recorded
        ? '**The model was a recorded model**: it played back what was recorded for this issue.'
        : '',
    ),
    must(`${HEADLINES[verification.verdict]}: ${escaped(verification.reason)}.`),
    must(resultTable(run, verification)),
    may(verification.comparison ? comparisonText(verification.comparison) : ''),
    may(failureText(verification)),
    must(changedText(change.files)),
    may(
      change.notes.length > 0
        ? `**Look at**:\n${change.notes
            .slice(0, 30)
            .map((note) => `- ${escaped(note)}`)
            .join('\n')}`
        : '',
    ),
    must(
      `**Not tested**: ${verification.notTested.map((fact) => escaped(fact)).join('; ') || 'nothing more is known'}.`,
    ),
    must(`<details><summary>How this was made</summary>\n\n${madeText(run, worked)}\n\n</details>`),
  ];
  return fitBlocks(blocks, BODY_BYTES);
}

const must = (text: string): Block => ({ text, rank: 'must' });
const may = (text: string): Block => ({ text, rank: 'may' });

function resultTable({ prepared }: Run, { base, patched }: Verification): string {
  if (!base || !patched) return '';
  const head = `| | base ${inline(shortCommit(prepared?.base.commit ?? ''))} | this change |\n|---|---|---|`;
  if (base.state !== 'ran' || patched.state !== 'ran')
    return `${head}\n| ended as | ${stateText(base)} | ${stateText(patched)} |`;
  const rows = (['passed', 'failed', 'skipped'] as const).map(
    (status) => `| ${status} | ${countStatus(base, status)} | ${countStatus(patched, status)} |`,
  );
  return [head, ...rows].join('\n');
}

function stateText({ state, exitCode }: SuiteResult): string {
  const code = exitCode === null ? '' : `, exit code ${exitCode}`;
  return `${state.replaceAll('_', ' ')}${code}`;
}

function countStatus({ tests }: SuiteResult, status: 'passed' | 'failed' | 'skipped'): string {
  return formatNumber(tests.filter((test) => test.status === status).length);
}

const LIST = 20;

function names(ids: readonly string[]): string {
  if (ids.length === 0) return 'none';
  const shown = ids.slice(0, LIST).map((id) => inline(id));
  return ids.length > LIST
    ? `${shown.join(', ')} and ${formatNumber(ids.length - LIST)} more`
    : shown.join(', ');
}

function comparisonText({
  fixed,
  broken,
  stillFailing,
  new: added,
  vanished,
  nowSkipped,
}: Comparison): string {
  const parts = [`**Fixed**: ${names(fixed)}`, `**Broken**: ${names(broken)}`];
  if (stillFailing.length > 0) parts.push(`**Still failing**: ${names(stillFailing)}`);
  if (added.length > 0) parts.push(`**New**: ${names(added.map(({ id, status }) => `${id} (${status})`))}`);
  if (vanished.length > 0) parts.push(`**Vanished**: ${names(vanished)}`);
  if (nowSkipped.length > 0) parts.push(`**Now skipped**: ${names(nowSkipped)}`);
  return parts.join(' · ');
}

/** What broken and still failing tests said, or the end of a run that measured nothing. */
function failureText({ comparison, patched }: Verification): string {
  if (!patched) return '';
  const wanted = new Set(comparison ? [...comparison.broken, ...comparison.stillFailing] : []);
  const failing = patched.tests.filter(({ id, message }) => wanted.has(id) && message !== null).slice(0, 5);
  const texts = failing.map(({ id, message }) => `${inline(id)}\n\n${fenced(message ?? '', 2_000)}`);
  if (patched.state !== 'ran' && patched.state !== 'exit_code_only' && patched.outputTail.trim() !== '')
    texts.push(`The end of the output with this change:\n\n${fenced(patched.outputTail, 4_000)}`);
  return texts.length > 0
    ? `<details><summary>Failures</summary>\n\n${texts.join('\n\n')}\n\n</details>`
    : '';
}

function changedText(files: readonly FileChange[]): string {
  const shown = files.slice(0, 50).map(({ path, kind, additions, deletions }) => {
    const lines = additions === null || deletions === null ? 'binary' : `+${additions} −${deletions}`;
    return `${inline(path)} (${kind === 'modified' ? '' : `${kind}, `}${lines})`;
  });
  const more = files.length > shown.length ? ` and ${formatNumber(files.length - shown.length)} more` : '';
  return `**Changed**: ${shown.join(', ')}${more}.`;
}

function madeText(
  { id, admitted, prepared }: Run,
  { agent, sandbox, isolation, verification }: Worked,
): string {
  const { pinned, policy, policySource } = admitted ?? {};
  const command = policy?.test
    ? ` Test command ${inline(policy.test.command, 500)} from ${inline(policySource?.path ?? '')} at ${inline(shortCommit(prepared?.base.commit ?? ''))}.`
    : '';
  const probes = isolation.before.findings.length;
  const facts = [
    `Model ${inline(agent.model)} (a research model; English and Python are its validated languages), profile ${inline(agent.profile)}, ${formatCount(agent.turns, 'turn')} of at most ${formatNumber(policy?.limits.steps ?? 0)}, ${formatNumber(agent.tokens)} tokens, ${formatDuration(agent.durationMs)} of at most ${policy?.limits.minutes ?? 0} min, ended by itself.`,
    `Sandbox ${inline(`${sandbox.kind} ${sandbox.version}`)}, isolated: ${probes} of ${probes} probes closed before and after. Not limited there: ${sandbox.notLimited.map((what) => escaped(what)).join('; ') || 'nothing'}.${command}`,
    `Tests ran ${formatDuration((verification?.base?.durationMs ?? 0) + (verification?.patched?.durationMs ?? 0))} in clean sandboxes that the agent never touched. Text of the issue: SHA-256 ${inline(pinned?.sha256 ?? '')}, taken ${formatMoment(pinned?.takenAt ?? '')}. Run ${inline(id)}.`,
  ];
  const account =
    agent.lastWords === ''
      ? ''
      : `\n\nThe model’s own account, not checked:\n\n${fencedProse(agent.lastWords, 3_000)}`;
  return `${facts.join('\n\n')}${account}`;
}
