import type { ColumnType, Generated } from 'kysely';

/** Written as JSON text, read back parsed but unchecked (see stored-values.ts). The type `json` keeps every string as it is. */
type Json = ColumnType<unknown, string, string>;
type JsonOrNull = ColumnType<unknown, string | null, string | null>;
type Moment = ColumnType<Date, Date | string, Date | string>;
type MomentOrNull = ColumnType<Date | null, Date | string | null, Date | string | null>;
/** 64 bit numbers come back from the driver as text. */
type BigNumber = ColumnType<string, number, number>;

export interface RunTable {
  id: string;
  forge: string;
  repository_id: BigNumber;
  issue: BigNumber;
  label: string;
  intent: string;
  generation: number;
  state: string;
  active: Generated<boolean>;
  trigger: Json;
  epoch: Generated<number>;
  attempts: Generated<number>;
  lease_owner: string | null;
  lease_expires_at: MomentOrNull;
  cancel_requested: string | null;
  admitted: JsonOrNull;
  prepared: JsonOrNull;
  worked: JsonOrNull;
  published: JsonOrNull;
  outcome: string | null;
  outcome_details: Generated<unknown>;
  created_at: ColumnType<Date, never, never>;
  touched_at: ColumnType<Date, never, Date | string>;
  ended_at: MomentOrNull;
}

export interface EventTable {
  run_id: string;
  seq: number;
  at: ColumnType<Date, never, never>;
  epoch: number;
  stage: string;
  kind: string;
  data: Json;
}

export interface DeliveryTable {
  forge: string;
  delivery_id: string;
  kind: string;
  run_id: string | null;
  received_at: ColumnType<Date, never, never>;
}

export interface EffectTable {
  run_id: string;
  name: string;
  value: string | null;
  epoch: number;
  at: Moment;
}

/** All tables lie in the schema `tadpole`, and every statement names it: the search path belongs to the queue. */
export interface Tables {
  'tadpole.runs': RunTable;
  'tadpole.events': EventTable;
  'tadpole.deliveries': DeliveryTable;
  'tadpole.effects': EffectTable;
}
