import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import * as runs from './migrations/0001-runs.ts';

/** In order; a name once released is never changed. */
const MIGRATIONS: Readonly<Record<string, Migration>> = { '0001-runs': runs };

export const SCHEMA = 'tadpole';

/**
 * Brings the schema up to date, all or nothing. Safe when several processes start at once: kysely takes an advisory lock.
 * A schema from a newer Tadpole is refused.
 */
export async function migrate<T>(db: Kysely<T>): Promise<readonly string[]> {
  const migrator = new Migrator({
    db,
    migrationTableSchema: SCHEMA,
    provider: { getMigrations: async () => ({ ...MIGRATIONS }) },
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error) throw error;
  return (results ?? []).map((result) => result.migrationName);
}
