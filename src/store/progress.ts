import { sql, type Transaction, type UpdateObject } from 'kysely';
import type { Database } from './database.ts';
import { insertEvents } from './events.ts';
import { leaseLost } from './leases.ts';
import { toRun } from './rows.ts';
import type { Tables } from './tables.ts';
import type { NewEvent, Run, RunUpdate, Store } from './types.ts';

const now = sql<Date>`clock_timestamp()`;

/** See `Store.advance`. The epoch is checked by the statement that writes, and the row stays locked for the events. */
export function advance(
  db: Database,
  id: string,
  step: { readonly epoch: number; readonly update: RunUpdate; readonly events: readonly NewEvent[] },
): Promise<Run> {
  return db.transaction().execute(async (work) => {
    const row = await work
      .updateTable('tadpole.runs')
      .set(toColumns(step.update))
      .where('id', '=', id)
      .where('epoch', '=', step.epoch)
      .where('lease_expires_at', 'is not', null)
      .where('state', '<>', 'ended')
      .returningAll()
      .executeTakeFirst();
    if (!row) throw leaseLost(id, step.epoch);
    await insertEvents(work, { id, epoch: step.epoch }, step.events);
    return toRun(row);
  });
}

/** See `Store.appendEvents`. */
export function appendEvents(
  db: Database,
  id: string,
  step: { readonly epoch: number; readonly events: readonly NewEvent[] },
): Promise<void> {
  return db.transaction().execute(async (work) => {
    await touch(work, id, step.epoch);
    await insertEvents(work, { id, epoch: step.epoch }, step.events);
  });
}

/** See `Store.recordEffect`. A result once known is not forgotten when the effect is begun again. */
export function recordEffect(
  db: Database,
  id: string,
  effect: { readonly epoch: number; readonly name: string; readonly value: string | null },
): Promise<void> {
  return db.transaction().execute(async (work) => {
    await touch(work, id, effect.epoch);
    await work
      .insertInto('tadpole.effects')
      .values({ run_id: id, ...effect, at: now })
      .onConflict((conflict) =>
        conflict.columns(['run_id', 'name']).doUpdateSet({
          value: sql`coalesce(excluded.value, effects.value)`,
          epoch: effect.epoch,
          at: now,
        }),
      )
      .execute();
  });
}

/** See `Store.readEffects`. */
export async function readEffects(db: Database, id: string): ReturnType<Store['readEffects']> {
  const rows = await db
    .selectFrom('tadpole.effects')
    .select(['name', 'value'])
    .where('run_id', '=', id)
    .execute();
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

/** Locks the run's row for the rest of the transaction, if the epoch still holds it. */
async function touch(work: Transaction<Tables>, id: string, epoch: number): Promise<void> {
  const row = await work
    .updateTable('tadpole.runs')
    .set({ touched_at: now })
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('lease_expires_at', 'is not', null)
    .returning('id')
    .executeTakeFirst();
  if (!row) throw leaseLost(id, epoch);
}

function toColumns(update: RunUpdate): UpdateObject<Tables, 'tadpole.runs'> {
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value));
  return {
    touched_at: now,
    // A state that is set, be it the same, begins a new step with its own count of attempts.
    ...(update.state !== undefined && { state: update.state, attempts: 0 }),
    ...(update.state === 'ended' && { active: false, ended_at: now }),
    ...(update.admitted !== undefined && { admitted: json(update.admitted) }),
    ...(update.prepared !== undefined && { prepared: json(update.prepared) }),
    ...(update.worked !== undefined && { worked: json(update.worked) }),
    ...(update.published !== undefined && { published: json(update.published) }),
    ...(update.outcome !== undefined && { outcome: update.outcome }),
    ...(update.outcomeDetails !== undefined && { outcome_details: JSON.stringify(update.outcomeDetails) }),
  };
}
