import type { Selectable } from 'kysely';
import { z } from 'zod';
import { OUTCOMES, STAGES } from '../outcome.ts';
import { StoredPrepared, StoredPublished, StoredWorked } from './stored-results.ts';
import { CancelReason, StoredAdmitted, StoredTrigger } from './stored-trigger.ts';
import type { EventTable, RunTable } from './tables.ts';
import { EVENT_KINDS, type Run, type RunEvent } from './types.ts';

const State = z.enum(['queued', 'prepared', 'worked', 'ended']);
const Outcome = z.enum(OUTCOMES);
const Details = z.record(z.string(), z.string());
const Data = z.record(z.string(), z.unknown());

/** A row of `runs` in our words. Throws a ZodError when the JSON of another version can't be read. */
export function toRun(row: Selectable<RunTable>): Run {
  return {
    id: row.id,
    state: State.parse(row.state),
    trigger: StoredTrigger.parse(row.trigger),
    generation: row.generation,
    epoch: row.epoch,
    attempts: row.attempts,
    cancelRequested: CancelReason.nullable().parse(row.cancel_requested),
    admitted: StoredAdmitted.nullable().parse(row.admitted),
    prepared: StoredPrepared.nullable().parse(row.prepared),
    worked: StoredWorked.nullable().parse(row.worked),
    published: StoredPublished.nullable().parse(row.published),
    outcome: Outcome.nullable().parse(row.outcome),
    outcomeDetails: Details.parse(row.outcome_details),
    createdAt: row.created_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}

/** State and outcome alone: what tells who is to continue a run. */
export function toPlace(row: Pick<Selectable<RunTable>, 'id' | 'state' | 'outcome'>) {
  return { id: row.id, state: State.parse(row.state), outcome: Outcome.nullable().parse(row.outcome) };
}

export function toEvent(row: Selectable<EventTable>): RunEvent {
  return {
    seq: row.seq,
    at: row.at.toISOString(),
    epoch: row.epoch,
    stage: z.enum(STAGES).parse(row.stage),
    kind: z.enum(EVENT_KINDS).parse(row.kind),
    data: Data.parse(row.data),
  };
}
