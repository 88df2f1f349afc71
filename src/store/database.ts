import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import { DatabaseError, Pool, type PoolClient } from 'pg';
import { Fault, type FaultCode, fault } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;

export interface DatabaseOptions {
  /** PostgreSQL connection string. */
  readonly databaseUrl: string;
  readonly log: Log;
  /** Connections at most; default 10. */
  readonly maxConnections?: number;
}

/** The port promises `store_unavailable` within 5 s. */
const DEADLINE_MS = 4_500;
const CONNECT_MS = 3_000;
const QUERY_MS = 4_000;
const MIGRATION_MS = 60_000;

/** Opens a pool with time limits on connecting and on every statement. Nothing is sent yet. */
export function openDatabase({ databaseUrl, log, maxConnections = 10 }: DatabaseOptions): Database {
  return open({ databaseUrl, log, maxConnections, queryMs: QUERY_MS });
}

/** The same with time for schema changes, and one connection. */
export function openForMigration({ databaseUrl, log }: DatabaseOptions): Database {
  return open({ databaseUrl, log, maxConnections: 1, queryMs: MIGRATION_MS });
}

function open(options: {
  readonly databaseUrl: string;
  readonly log: Log;
  readonly maxConnections: number;
  readonly queryMs: number;
}): Database {
  const { queryMs } = options;
  const pool = new Pool({
    connectionString: options.databaseUrl,
    application_name: 'tadpole',
    max: options.maxConnections,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: queryMs,
    statement_timeout: queryMs,
    // A process that stops in mid-transaction must not keep its row locks.
    idle_in_transaction_session_timeout: queryMs,
    keepAlive: true,
  });
  pool.on('error', (err) => options.log.warn({ err }, 'idle database connection lost'));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: discarding(pool) }) });
}

/**
 * The pool, but a connection on which a query got no answer is closed instead of used again: behind a dead network it would
 * let every later query wait for the same nothing.
 */
function discarding(pool: Pool): PostgresPool {
  const wrapped = new WeakMap<PoolClient, PoolClient>();
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect();
      const known = wrapped.get(client) ?? watchful(client);
      wrapped.set(client, known);
      return known;
    },
  };
}

function watchful(client: PoolClient): PoolClient {
  let broken = false;
  const query = async (...parameters: unknown[]): Promise<unknown> => {
    try {
      return await Reflect.apply(client.query, client, parameters);
    } catch (err) {
      broken ||= !(err instanceof DatabaseError);
      throw err;
    }
  };
  const release = (destroy?: boolean) => client.release(destroy || broken);
  return new Proxy(client, {
    get(target, key) {
      if (key === 'query') return query;
      return key === 'release' ? release : Reflect.get(target, key);
    },
  });
}

/** Runs one operation on the database, bounded in time; what goes wrong becomes a fault of the catalogue. */
export async function guarded<T>(operation: () => Promise<T>, deadlineMs = DEADLINE_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    const late = () =>
      fault('store_unavailable', { detail: `the database did not answer in ${deadlineMs} ms` });
    timer = setTimeout(() => reject(late()), deadlineMs);
  });
  try {
    return await Promise.race([operation(), deadline]);
  } catch (err) {
    throw toStoreFault(err);
  } finally {
    clearTimeout(timer);
  }
}

/** SQLSTATE classes of a database that can't serve now: connection, roll-backs, resources, operator, system. */
const AWAY = /^(08|40|53|55|57|58)/;
/** Credentials refused, database missing: waiting does not help. */
const REFUSED = /^(28|3D)/;

function toStoreFault(err: unknown): Fault {
  if (err instanceof Fault) return err;
  if (!(err instanceof DatabaseError)) {
    // Errors without SQLSTATE come from the socket or the pool, unless they are mistakes of ours.
    const ours = err instanceof TypeError || err instanceof RangeError || isZodError(err);
    const code: FaultCode = ours ? 'internal' : 'store_unavailable';
    return fault(code, { detail: err instanceof Error ? err.message : 'unknown error', cause: err });
  }
  const state = err.code ?? 'unknown';
  const detail = `the database answered with SQLSTATE ${state}: ${err.message}`;
  if (AWAY.test(state)) return fault('store_unavailable', { detail, cause: err });
  if (REFUSED.test(state)) return fault('store_unavailable', { detail, cause: err, retryable: false });
  return fault('internal', { detail, cause: err });
}

function isZodError(err: unknown): boolean {
  return err instanceof Error && err.name === '$ZodError';
}

/** True for a violated unique index of this name. */
export function isUniqueViolation(err: unknown, constraint: string): boolean {
  return err instanceof DatabaseError && err.code === '23505' && err.constraint === constraint;
}
