import { Fault } from '../errors.ts';
import type { ExitReason } from '../run/types.ts';
import { type Budget, createBudget } from './limits.ts';
import { createNudges, type Nudges } from './nudges.ts';
import { createProgress, type Progress } from './progress.ts';
import { createHistory, type History } from './transcript.ts';
import type { AgentDeps } from './types.ts';

/** How a run ended. */
export interface Ending {
  readonly reason: ExitReason;
  readonly fault: Fault | null;
}

export const ended = (reason: ExitReason): Ending => ({ reason, fault: null });

/** The state of one run of the loop. */
export interface Session {
  readonly deps: AgentDeps;
  readonly signal: AbortSignal;
  readonly budget: Budget;
  readonly history: History;
  readonly progress: Progress;
  readonly nudges: Nudges;
  readonly usedIds: Set<string>;
  toolCalls: number;
  lastWords: string;
}

export function profileLabel({ profile }: Pick<AgentDeps, 'profile'>): string {
  return `${profile.name} ${profile.version}`;
}

export function createSession(deps: AgentDeps, signal: AbortSignal): Session {
  const { model, profile, limits } = deps;
  return {
    deps,
    signal,
    budget: createBudget(limits),
    history: createHistory({ model: model.label, profile: profileLabel(deps), tools: profile.tools }),
    progress: createProgress(),
    nudges: createNudges(),
    usedIds: new Set(),
    toolCalls: 0,
    lastWords: '',
  };
}

/**
 * Does something under the run's wall time. Cancelled, out of time and a fault (under the name `reason`) are endings;
 * anything else that is thrown is a mistake of ours and passes.
 */
export async function tryWithin<Value>(
  { signal, budget }: Pick<Session, 'signal' | 'budget'>,
  reason: ExitReason,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<{ readonly value: Value } | { readonly ending: Ending }> {
  const outOfTime = AbortSignal.timeout(Math.ceil(budget.remainingMs()));
  try {
    return { value: await work(AbortSignal.any([signal, outOfTime])) };
  } catch (thrown) {
    if (signal.aborted) return { ending: ended('cancelled') };
    if (outOfTime.aborted) return { ending: ended('max_time') };
    if (thrown instanceof Fault) return { ending: { reason, fault: thrown } };
    throw thrown;
  }
}
