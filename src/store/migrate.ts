import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { fault } from '../errors.ts';
import * as runs from './migrations/0001-runs.ts';

/** In order; a name once released is never changed. */
const MIGRATIONS: Readonly<Record<string, Migration>> = { '0001-runs': runs };

export const SCHEMA = 'tadpole';

/**
 * Brings the schema up to date, all or nothing. Safe when several processes start at once: kysely takes an advisory lock.
 * A schema from a newer Tadpole is refused with `store_unavailable`, not retryable.
 */
export async function migrate<T>(db: Kysely<T>): Promise<readonly string[]> {
  await refuseNewer(db);
  const migrator = new Migrator({
    db,
    migrationTableSchema: SCHEMA,
    provider: { getMigrations: async () => ({ ...MIGRATIONS }) },
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error) throw error;
  return (results ?? []).map((result) => result.migrationName);
}

async function refuseNewer<T>(db: Kysely<T>): Promise<void> {
  const table = await sql<{
    oid: string | null;
  }>`select to_regclass('tadpole.kysely_migration') as oid`.execute(db);
  if (table.rows[0]?.oid == null) return;
  const done = await sql<{ name: string }>`select name from tadpole.kysely_migration`.execute(db);
  const unknown = done.rows.map(({ name }) => name).filter((name) => !Object.hasOwn(MIGRATIONS, name));
  if (unknown.length === 0) return;
  const detail = `the database was changed by a newer Tadpole (${unknown.join(', ')}); start that version again`;
  throw fault('store_unavailable', { detail, retryable: false });
}
