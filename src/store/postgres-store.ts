import { sql } from 'kysely';
import type { Log } from '../log.ts';
import { type Database, type DatabaseOptions, guarded, openDatabase, openForMigration } from './database.ts';
import { readEvents } from './events.ts';
import { acceptCancel, acceptLabel } from './intake.ts';
import { activate, assertLease, releaseLease, renewLease, takeLease } from './leases.ts';
import { migrate } from './migrate.ts';
import { advance, appendEvents, readEffects, recordEffect } from './progress.ts';
import { countRuns, isLive, listRuns, listStranded, readRun } from './queries.ts';
import type { Store } from './types.ts';

const MIGRATION_DEADLINE_MS = 60_000;

/**
 * Opens the store on a PostgreSQL, a real one or the embedded, and brings its schema up to date first.
 * Faults: `store_unavailable` when it can't be reached or its schema is from a newer Tadpole.
 */
export async function openStore(options: DatabaseOptions): Promise<Store> {
  await bringUpToDate(options);
  return createStore(openDatabase(options));
}

async function bringUpToDate(options: DatabaseOptions): Promise<void> {
  const db = openForMigration(options);
  try {
    await guarded(() => sql`select 1`.execute(db));
    const applied = await guarded(() => migrate(db), MIGRATION_DEADLINE_MS);
    logApplied(options.log, applied);
  } finally {
    await db.destroy();
  }
}

function logApplied(log: Log, migrations: readonly string[]): void {
  if (migrations.length > 0) log.info({ migrations }, 'store schema brought up to date');
}

/** Each method is one guarded operation of the files beside this one. */
function createStore(db: Database): Store {
  return {
    acceptLabel: (trigger) => guarded(() => acceptLabel(db, trigger)),
    acceptCancel: (trigger) => guarded(() => acceptCancel(db, trigger)),
    readRun: (id) => guarded(() => readRun(db, id)),
    listRuns: ({ limit }) => guarded(() => listRuns(db, limit)),
    takeLease: (id, lease) => guarded(() => takeLease(db, id, lease)),
    renewLease: (id, lease) => guarded(() => renewLease(db, id, lease)),
    releaseLease: (id, epoch, { attemptUsed }) => guarded(() => releaseLease(db, id, { epoch, attemptUsed })),
    activate: (id, epoch) => guarded(() => activate(db, id, epoch)),
    advance: (id, epoch, step) => guarded(() => advance(db, id, { epoch, ...step })),
    appendEvents: (id, epoch, events) => guarded(() => appendEvents(db, id, { epoch, events })),
    readEvents: (id, afterSeq) => guarded(() => readEvents(db, id, afterSeq)),
    assertLease: (id, epoch) => guarded(() => assertLease(db, id, epoch)),
    recordEffect: (id, epoch, effect) => guarded(() => recordEffect(db, id, { epoch, ...effect })),
    readEffects: (id) => guarded(() => readEffects(db, id)),
    countRuns: (filter) => guarded(() => countRuns(db, filter)),
    listStranded: (idleMs) => guarded(() => listStranded(db, idleMs)),
    isLive: (id) => guarded(() => isLive(db, id)),
    ping: () => guarded(async () => void (await sql`select 1`.execute(db))),
    close: () => db.destroy(),
  };
}
