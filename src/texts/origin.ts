/** How a draft was made: model, limits, sandbox, test command, text, run. All from stored values. */
import type { Admitted } from '../admission/types.ts';
import type { AgentSummary, ExitReason, Prepared, Worked } from '../run/types.ts';
import type { Isolation } from '../sandbox/types.ts';
import { fencedProse, inline, sentence } from './markdown.ts';
import { formatCount, formatDuration, formatMoment, formatNumber, shortCommit } from './numbers.ts';

/** The stored parts of a run that a draft tells of. */
export interface Origin {
  readonly runId: string;
  readonly admitted: Admitted;
  readonly prepared: Prepared;
  readonly worked: Worked;
}

const ACCOUNT_BYTES = 3_000;
const COMMAND_BYTES = 500;

const RESEARCH_MODEL = ' (a research model; English and Python are its validated languages)';

/** How the agent ended, after "the agent". */
const EXIT_PHRASES: Readonly<Record<ExitReason, string>> = {
  agent: 'ended by itself',
  max_turns: 'was stopped at its limit of turns',
  max_context_len: "was stopped because the model's context was full",
  max_tokens_per_turn: "was stopped because an answer reached the model's length limit",
  max_time: 'was stopped at its time limit',
  tool_error: 'was stopped by trouble with its tools',
  llm_query_error: 'was stopped by trouble with the model endpoint',
  cancelled: 'was cancelled',
  no_progress: 'was stopped because it repeated itself without progress',
  no_answer: 'was stopped because the model gave no answer',
};

function describeModel({ agent }: Worked, { policy }: Admitted): string {
  const kind = agent.recorded ? 'Recorded model' : 'Model';
  const { steps, minutes } = policy.limits;
  const caution = /frognano/i.test(agent.model) ? RESEARCH_MODEL : '';
  return [
    `${kind} ${inline(agent.model)}${caution}, profile ${inline(agent.profile)}`,
    `${formatCount(agent.turns, 'turn')} of at most ${formatNumber(steps)}`,
    formatCount(agent.toolCalls, 'tool call'),
    formatCount(agent.tokens, 'token'),
    `${formatDuration(agent.durationMs)} of at most ${formatNumber(minutes)} min`,
    `the agent ${EXIT_PHRASES[agent.exitReason]}.`,
  ].join(', ');
}

/** `11 of 11`: how many of the probe's findings were closed. */
function countClosed({ findings }: Isolation): string {
  const closed = findings.filter((finding) => finding.closed).length;
  return `${formatNumber(closed)} of ${formatNumber(findings.length)}`;
}

function describeSandbox({ sandbox, isolation }: Worked, { policy }: Admitted): string {
  const image = policy.image === null ? '' : `, image ${inline(policy.image)}`;
  const limits = sandbox.notLimited.map(sentence).join('; ');
  const open = limits === '' ? '' : ` It does not limit: ${limits}.`;
  const probes = `${countClosed(isolation.before)} probes closed before the agent began, ${countClosed(isolation.after)} after it ended`;
  return `Sandbox ${inline(`${sandbox.kind} ${sandbox.version}`)}${image}; isolation looked at from inside: ${probes}.${open}`;
}

function describeTests({ policy, policySource }: Admitted): string {
  const source =
    policySource.commit === null
      ? "the server's default policy"
      : `${inline(policySource.path)} at ${inline(shortCommit(policySource.commit))}`;
  if (policy.test === null) return `No test command, says ${source}.`;
  const setup = policy.setup === null ? '' : `Setup command ${inline(policy.setup, COMMAND_BYTES)}. `;
  return `${setup}Test command ${inline(policy.test.command, COMMAND_BYTES)} from ${source}.`;
}

function describeText({ pinned }: Admitted): string {
  const comments = formatCount(pinned.comments.length, 'comment');
  const omitted =
    pinned.omitted === 0 ? '' : ` (${formatNumber(pinned.omitted)} left out: later, edited or by bots)`;
  return `Text of the issue with ${comments}${omitted}: SHA-256 ${inline(pinned.sha256)}, taken ${formatMoment(pinned.takenAt)}.`;
}

/** The model's own words: the one place where they stand, quoted, capped and labelled. */
function quoteAccount({ lastWords }: AgentSummary): string {
  if (lastWords.trim() === '') return 'The model gave no account of its own.';
  return `The model's own account, not checked:\n\n${fencedProse(lastWords, ACCOUNT_BYTES)}`;
}

/** The folded section "How this was made". */
export function originDetails({ runId, admitted, prepared, worked }: Origin): string {
  const { branch, commit } = prepared.base;
  const facts = [
    describeModel(worked, admitted),
    describeSandbox(worked, admitted),
    describeTests(admitted),
    describeText(admitted),
    `Base: ${inline(branch)} at ${inline(commit)}. Run ${inline(runId)}.`,
  ].map((fact) => `- ${fact}`);
  const content = `${facts.join('\n')}\n\n${quoteAccount(worked.agent)}`;
  return `<details><summary>How this was made</summary>\n\n${content}\n\n</details>`;
}
