import type { Run, RunEvent } from '../store/types.ts';
import type { Progress } from '../texts/status.ts';

/** How far the events say that a run is. */
export function toProgress(
  { admitted }: Pick<Run, 'admitted'>,
  events: readonly RunEvent[],
  recorded: boolean,
): Progress | null {
  if (!admitted) return null;
  const probed = events.findLast(({ stage, kind }) => stage === 'sandbox' && kind === 'finished')?.data;
  const agent = events.findLast(({ stage, kind }) => stage === 'agent' && kind === 'started');
  const turn = events.findLast(({ stage, kind }) => stage === 'agent' && kind === 'progress')?.data.turn;
  const { closed, probes: total } = probed ?? {};
  return {
    stage: events.findLast(({ stage }) => stage !== 'queue')?.stage ?? 'sandbox',
    turn: typeof turn === 'number' ? turn : null,
    agentStartedAt: agent?.at ?? null,
    probes: typeof closed === 'number' && typeof total === 'number' ? { closed, total } : null,
    recorded,
  };
}
