import type { Outcome } from '../outcome.ts';
import type { AgentSummary, ExitReason, Worked } from './types.ts';

/** What the sandbox side's result means for the run: a draft to open, or an ending without one. */
export type Decision =
  | { readonly outcome: 'pr_opened' }
  | { readonly outcome: Exclude<Outcome, 'pr_opened'>; readonly details: Readonly<Record<string, string>> };

/** Exit reasons that are limits: the model was stopped, so what it left is not offered to anybody. */
const LIMITS: ReadonlySet<ExitReason> = new Set([
  'max_turns',
  'max_context_len',
  'max_tokens_per_turn',
  'max_time',
  'no_progress',
  'no_answer',
]);

/** Decides how a run goes on after the sandbox side is done. `pr_opened` is a plan here: publish may still be refused. */
export function decideOutcome({ agent, change }: Pick<Worked, 'agent' | 'change'>): Decision {
  if (agent.exitReason !== 'agent') return toEnding(agent);
  if (change.kind === 'none') return { outcome: 'no_changes', details: {} };
  if (change.kind === 'refused')
    return { outcome: 'change_refused', details: { problems: String(change.problems.length) } };
  return { outcome: 'pr_opened' };
}

function toEnding({ exitReason }: AgentSummary): Decision {
  if (exitReason === 'cancelled') return { outcome: 'cancelled', details: {} };
  if (LIMITS.has(exitReason)) return { outcome: 'limit_reached', details: { limit: exitReason } };
  return { outcome: 'faulted', details: { exitReason } };
}
