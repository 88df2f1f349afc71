/**
 * The store port: the durable truth about runs. Queue entries only wake workers up; what is to be done next is read here.
 *
 * Who calls it: both sides, several processes at once. Every method is one transaction. Writes for a run carry the epoch of
 * the writer's lease (a fencing token): a writer whose lease was taken over gets the fault `lease_lost` and must stop
 * (cases C01, R03). Errors: `store_unavailable` within 5 s when the database is away.
 */
import type { Admitted } from '../admission/types.ts';
import type { Outcome, Stage } from '../outcome.ts';
import type { Prepared, Published, Worked } from '../run/types.ts';
import type { CancelTrigger, LabelTrigger } from '../webhook/trigger.ts';

/** What happens next: `queued` → admission and prepare, `prepared` → the sandbox side, `worked` → publish and report. */
export type RunState = 'queued' | 'prepared' | 'worked' | 'ended';

export interface Run {
  readonly id: string;
  readonly state: RunState;
  readonly trigger: LabelTrigger;
  /** 1 for the first run of an intent; a redelivery after a fault makes the next. */
  readonly generation: number;
  readonly epoch: number;
  /** Leases taken so far in the present state: our own count of attempts. */
  readonly attempts: number;
  readonly cancelRequested: CancelTrigger['reason'] | null;
  readonly admitted: Admitted | null;
  readonly prepared: Prepared | null;
  readonly worked: Worked | null;
  readonly published: Published | null;
  readonly outcome: Outcome | null;
  /** Code and values behind the outcome: refusal or fault code, exit reason; safe to show. */
  readonly outcomeDetails: Readonly<Record<string, string>>;
  readonly createdAt: string;
  readonly endedAt: string | null;
}

/** Append-only account of a run; `seq` counts from 1 per run. `data` holds no issue text, model text or secret. */
export interface RunEvent {
  readonly seq: number;
  readonly at: string;
  readonly epoch: number;
  readonly stage: Stage;
  readonly kind: EventKind;
  readonly data: Readonly<Record<string, unknown>>;
}

export const EVENT_KINDS = [
  'started',
  'progress',
  'finished',
  'refused',
  'faulted',
  'lease_taken',
  'cancelled',
  'ended',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export type NewEvent = Pick<RunEvent, 'stage' | 'kind' | 'data'>;

export type Acceptance =
  /** A run was created. */
  | { readonly kind: 'created'; readonly run: Run }
  /** The delivery or its intent is known. `run` is the run it led to (perhaps still to be queued), null when it led to none. */
  | { readonly kind: 'duplicate'; readonly run: Run | null };

/** What `advance` may set along with the next state. */
export type RunUpdate = Partial<
  Pick<Run, 'state' | 'admitted' | 'prepared' | 'worked' | 'published' | 'outcome' | 'outcomeDetails'>
>;

export interface Lease {
  readonly run: Run;
  readonly epoch: number;
}

export interface Store {
  /**
   * Records a delivery and creates its run, in one transaction. A delivery id or intent seen before makes no second run,
   * unless the same delivery is redelivered after its run ended as `faulted`: then the next generation is created.
   */
  acceptLabel(trigger: LabelTrigger): Promise<Acceptance>;
  /** Records the delivery and marks the issue's active run, if any, to be cancelled; returns its id. */
  acceptCancel(trigger: CancelTrigger): Promise<string | null>;
  readRun(id: string): Promise<Run | null>;
  /** Newest first. */
  listRuns(filter: { readonly limit: number }): Promise<readonly Run[]>;
  /** Takes the run for `owner` unless another holds an unexpired lease: epoch and attempts go up by one. Null otherwise or when ended. */
  takeLease(id: string, lease: { readonly owner: string; readonly ttlMs: number }): Promise<Lease | null>;
  /** Extends the lease. `held: false` when it was taken over; then the caller stops at once. */
  renewLease(
    id: string,
    lease: { readonly epoch: number; readonly ttlMs: number },
  ): Promise<{ readonly held: boolean; readonly cancelRequested: CancelTrigger['reason'] | null }>;
  /**
   * Gives the lease back early. A lease that was taken over is left alone. `attemptUsed: false` takes the attempt back:
   * a hand-over at shutdown is nobody's failure (case C02).
   */
  releaseLease(id: string, epoch: number, options: { readonly attemptUsed: boolean }): Promise<void>;
  /** Makes this the one active run of its issue; false when another is. Ending the run frees the place. Idempotent. */
  activate(id: string, epoch: number): Promise<boolean>;
  /** Writes results, next state (attempts start at 0 again) and events together. Fault `lease_lost` when the epoch is old. */
  advance(
    id: string,
    epoch: number,
    step: { readonly update: RunUpdate; readonly events: readonly NewEvent[] },
  ): Promise<Run>;
  appendEvents(id: string, epoch: number, events: readonly NewEvent[]): Promise<void>;
  readEvents(id: string, afterSeq: number): Promise<readonly RunEvent[]>;
  /** Fence: throws `lease_lost` unless this epoch still holds the run. Called right before every effect on the forge. */
  assertLease(id: string, epoch: number): Promise<void>;
  /**
   * Remembers an effect on the forge by name (`branch`, `draft`, `status_comment`, `check`, `label`): its intention before
   * the call (value null), its result after it. A diary to look effects up and to clean up by; the forge itself decides.
   */
  recordEffect(
    id: string,
    epoch: number,
    effect: { readonly name: string; readonly value: string | null },
  ): Promise<void>;
  readEffects(id: string): Promise<Readonly<Record<string, string | null>>>;
  /** Runs of a repository (admitted ones, by created time), and of one issue, since a moment; for caps. */
  countRuns(filter: {
    readonly forge: string;
    readonly repositoryId: number;
    readonly issue?: number;
    readonly since: Date;
    readonly exceptRun: string;
  }): Promise<number>;
  /** Unended runs without an unexpired lease that were not touched for so long: to be queued again by the sweep. */
  listStranded(idleMs: number): Promise<readonly Pick<Run, 'id' | 'state' | 'outcome'>[]>;
  /** Ids of all unended runs, for reapers. */
  isLive(id: string): Promise<boolean>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The artifact store: large values that both sides share (packs, transcripts, reports). Keys are `runs/<run id>/<name>`,
 * made by us. Written atomically: a reader sees a whole artifact or none.
 */
export interface Artifacts {
  put(
    key: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
  ): Promise<{ readonly bytes: number; readonly sha256: string }>;
  /** Fault `artifact_missing` when there is none. */
  open(key: string): Promise<AsyncIterable<Uint8Array>>;
  read(key: string, options: { readonly maxBytes: number }): Promise<Uint8Array>;
}
