import { sql } from 'kysely';
import { type Fault, fault } from '../errors.ts';
import { type Database, isUniqueViolation } from './database.ts';
import { insertEvents } from './events.ts';
import { toRun } from './rows.ts';
import { CancelReason } from './stored-trigger.ts';
import type { Lease, Store } from './types.ts';

/** The database's clock rules: those of the workers may differ. */
const now = sql<Date>`clock_timestamp()`;
const after = (ms: number) => sql<Date>`clock_timestamp() + ${ms} * interval '1 millisecond'`;

export function leaseLost(id: string, epoch: number): Fault {
  return fault('lease_lost', { detail: `run ${id} is no longer held under epoch ${epoch}` });
}

/** See `Store.takeLease`. One UPDATE: of two that race, the second sees the lease of the first. */
export function takeLease(
  db: Database,
  id: string,
  { owner, ttlMs }: { readonly owner: string; readonly ttlMs: number },
): Promise<Lease | null> {
  return db.transaction().execute(async (work) => {
    const row = await work
      .updateTable('tadpole.runs')
      .set((eb) => ({
        epoch: eb('epoch', '+', 1),
        attempts: eb('attempts', '+', 1),
        lease_owner: owner,
        lease_expires_at: after(ttlMs),
        touched_at: now,
      }))
      .where('id', '=', id)
      .where('state', '<>', 'ended')
      .where((eb) => eb.or([eb('lease_expires_at', 'is', null), eb('lease_expires_at', '<=', now)]))
      .returningAll()
      .executeTakeFirst();
    if (!row) return null;
    const run = toRun(row);
    const data = { state: run.state, attempt: run.attempts };
    await insertEvents(work, run, [{ stage: 'queue', kind: 'lease_taken', data }]);
    return { run, epoch: run.epoch };
  });
}

/** See `Store.renewLease`. A lease that ran out but that nobody took lives on. */
export async function renewLease(
  db: Database,
  id: string,
  { epoch, ttlMs }: { readonly epoch: number; readonly ttlMs: number },
): ReturnType<Store['renewLease']> {
  const row = await db
    .updateTable('tadpole.runs')
    .set({ lease_expires_at: after(ttlMs), touched_at: now })
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('lease_expires_at', 'is not', null)
    .returning('cancel_requested')
    .executeTakeFirst();
  if (!row) return { held: false, cancelRequested: null };
  return { held: true, cancelRequested: CancelReason.nullable().parse(row.cancel_requested) };
}

/** See `Store.releaseLease`. */
export async function releaseLease(
  db: Database,
  id: string,
  { epoch, attemptUsed }: { readonly epoch: number; readonly attemptUsed: boolean },
): Promise<void> {
  const takenBack = attemptUsed ? 0 : 1;
  await db
    .updateTable('tadpole.runs')
    .set({
      lease_owner: null,
      lease_expires_at: null,
      attempts: sql<number>`greatest(attempts - ${takenBack}::integer, 0)`,
      touched_at: now,
    })
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('lease_expires_at', 'is not', null)
    .execute();
}

/** See `Store.activate`. The partial unique index decides between runs that try at the same time. */
export async function activate(db: Database, id: string, epoch: number): Promise<boolean> {
  try {
    const row = await db
      .updateTable('tadpole.runs')
      .set({ active: true, touched_at: now })
      .where('id', '=', id)
      .where('epoch', '=', epoch)
      .where('lease_expires_at', 'is not', null)
      .where('state', '<>', 'ended')
      .returning('id')
      .executeTakeFirst();
    if (!row) throw leaseLost(id, epoch);
    return true;
  } catch (err) {
    if (isUniqueViolation(err, 'runs_active')) return false;
    throw err;
  }
}

/** See `Store.assertLease`. Stricter than the writes: a lease that ran out may be taken between this answer and the effect. */
export async function assertLease(db: Database, id: string, epoch: number): Promise<void> {
  const row = await db
    .selectFrom('tadpole.runs')
    .select('id')
    .where('id', '=', id)
    .where('epoch', '=', epoch)
    .where('lease_expires_at', '>', now)
    .executeTakeFirst();
  if (!row) throw leaseLost(id, epoch);
}
