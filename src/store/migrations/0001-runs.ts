import { type Kysely, sql } from 'kysely';

/** Runs, their append-only events, the deliveries that asked for them and their effects on the forge. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `CREATE TABLE tadpole.runs (
     id text PRIMARY KEY,
     forge text NOT NULL,
     repository_id bigint NOT NULL,
     issue bigint NOT NULL,
     label text NOT NULL,
     intent text NOT NULL,
     generation integer NOT NULL CHECK (generation >= 1),
     state text NOT NULL CHECK (state IN ('queued', 'prepared', 'worked', 'ended')),
     active boolean NOT NULL DEFAULT false CHECK (NOT (active AND state = 'ended')),
     trigger json NOT NULL,
     epoch integer NOT NULL DEFAULT 0,
     attempts integer NOT NULL DEFAULT 0,
     lease_owner text,
     lease_expires_at timestamptz,
     cancel_requested text,
     admitted json,
     prepared json,
     worked json,
     published json,
     outcome text,
     outcome_details json NOT NULL DEFAULT '{}',
     created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     touched_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     ended_at timestamptz,
     UNIQUE (forge, intent, generation)
   )`,
  // The one active run of an issue.
  `CREATE UNIQUE INDEX runs_active ON tadpole.runs (forge, repository_id, issue) WHERE active`,
  `CREATE INDEX runs_of_repository ON tadpole.runs (forge, repository_id, created_at)`,
  `CREATE INDEX runs_unended ON tadpole.runs (touched_at) WHERE state <> 'ended'`,
  `CREATE INDEX runs_newest ON tadpole.runs (created_at DESC)`,
  `CREATE TABLE tadpole.deliveries (
     forge text NOT NULL,
     delivery_id text NOT NULL,
     kind text NOT NULL,
     run_id text REFERENCES tadpole.runs (id),
     received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
     PRIMARY KEY (forge, delivery_id)
   )`,
  `CREATE TABLE tadpole.events (
     run_id text NOT NULL REFERENCES tadpole.runs (id),
     seq integer NOT NULL CHECK (seq >= 1),
     at timestamptz NOT NULL DEFAULT clock_timestamp(),
     epoch integer NOT NULL,
     stage text NOT NULL,
     kind text NOT NULL,
     data json NOT NULL,
     PRIMARY KEY (run_id, seq)
   )`,
  `CREATE FUNCTION tadpole.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     RAISE EXCEPTION 'events are append-only' USING ERRCODE = 'integrity_constraint_violation';
   END $$`,
  `CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON tadpole.events
     FOR EACH STATEMENT EXECUTE FUNCTION tadpole.refuse_change()`,
  `CREATE TABLE tadpole.effects (
     run_id text NOT NULL REFERENCES tadpole.runs (id),
     name text NOT NULL,
     value text,
     epoch integer NOT NULL,
     at timestamptz NOT NULL DEFAULT clock_timestamp(),
     PRIMARY KEY (run_id, name)
   )`,
];
