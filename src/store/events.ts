import { sql, type Transaction } from 'kysely';
import type { Database } from './database.ts';
import { toEvent } from './rows.ts';
import type { Tables } from './tables.ts';
import type { NewEvent, RunEvent } from './types.ts';

/** Appends to a run whose row the transaction has locked, so that numbers go up without gaps. */
export async function insertEvents(
  work: Transaction<Tables>,
  run: { readonly id: string; readonly epoch: number },
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const { last } = await work
    .selectFrom('tadpole.events')
    .select(sql<number>`coalesce(max(seq), 0)::integer`.as('last'))
    .where('run_id', '=', run.id)
    .executeTakeFirstOrThrow();
  await work
    .insertInto('tadpole.events')
    .values(
      events.map(({ stage, kind, data }, index) => ({
        run_id: run.id,
        seq: last + index + 1,
        epoch: run.epoch,
        stage,
        kind,
        data: JSON.stringify(data),
      })),
    )
    .execute();
}

/** See `Store.readEvents`. */
export async function readEvents(db: Database, id: string, afterSeq: number): Promise<readonly RunEvent[]> {
  const rows = await db
    .selectFrom('tadpole.events')
    .selectAll()
    .where('run_id', '=', id)
    .where('seq', '>', afterSeq)
    .orderBy('seq')
    .execute();
  return rows.map(toEvent);
}
