import { sql } from 'kysely';
import type { Database } from './database.ts';
import { toPlace, toRun } from './rows.ts';
import type { Run, Store } from './types.ts';

/** See `Store.readRun`. */
export async function readRun(db: Database, id: string): Promise<Run | null> {
  const row = await db.selectFrom('tadpole.runs').selectAll().where('id', '=', id).executeTakeFirst();
  return row ? toRun(row) : null;
}

/** See `Store.listRuns`. */
export async function listRuns(db: Database, limit: number): Promise<readonly Run[]> {
  const rows = await db
    .selectFrom('tadpole.runs')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.map(toRun);
}

/** See `Store.countRuns`. */
export async function countRuns(db: Database, filter: Parameters<Store['countRuns']>[0]): Promise<number> {
  const { count } = await db
    .selectFrom('tadpole.runs')
    .select(sql<number>`count(*)::integer`.as('count'))
    .where('forge', '=', filter.forge)
    .where('repository_id', '=', String(filter.repositoryId))
    .$if(filter.issue !== undefined, (query) => query.where('issue', '=', String(filter.issue)))
    .where('created_at', '>=', filter.since)
    .where('admitted', 'is not', null)
    .where('id', '<>', filter.exceptRun)
    .executeTakeFirstOrThrow();
  return count;
}

/** See `Store.listStranded`. */
export async function listStranded(db: Database, idleMs: number): ReturnType<Store['listStranded']> {
  const now = sql<Date>`clock_timestamp()`;
  const rows = await db
    .selectFrom('tadpole.runs')
    .select(['id', 'state', 'outcome'])
    .where('state', '<>', 'ended')
    .where((eb) => eb.or([eb('lease_expires_at', 'is', null), eb('lease_expires_at', '<=', now)]))
    .where('touched_at', '<=', sql<Date>`clock_timestamp() - ${idleMs} * interval '1 millisecond'`)
    .orderBy('touched_at')
    .execute();
  return rows.map(toPlace);
}

/** See `Store.isLive`. */
export async function isLive(db: Database, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('tadpole.runs')
    .select('id')
    .where('id', '=', id)
    .where('state', '<>', 'ended')
    .executeTakeFirst();
  return row !== undefined;
}
