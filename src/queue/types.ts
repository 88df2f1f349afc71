/**
 * The queue port: wakes up a worker of one side for a run. At-least-once, no order, no truth: entries may be lost, doubled
 * or late; the store's lease decides who works, and the sweep queues stranded runs again. An entry is a run id and a format
 * version, never text or a secret (T27, T34).
 */

/** Which process a run is waiting for: the one with forge credentials or the one with sandboxes. */
export type Side = 'forge' | 'sandbox';

export interface QueueEntry {
  readonly runId: string;
}

export interface QueueWorker {
  /** Takes no new entries, waits for those in hand at most `graceMs`, then aborts their signal and closes. */
  close(options: { readonly graceMs: number }): Promise<void>;
}

export interface WorkOptions {
  readonly concurrency: number;
  /** A thrown non-retryable fault ends the entry; a retryable one brings it back later (with its `retryAfterMs`, or growing pauses). */
  readonly handle: (entry: QueueEntry, options: { readonly signal: AbortSignal }) => Promise<void>;
}

export interface Queue {
  /**
   * Durable when it resolves. Adding a run that waits already under the same `step` changes nothing; another step is another
   * entry (so that an entry still in hand for the step before cannot swallow it). `queue_unavailable` within 4 s otherwise.
   */
  add(
    side: Side,
    entry: QueueEntry,
    options: { readonly step: string; readonly delayMs?: number },
  ): Promise<void>;
  /** Starts taking entries of one side. Entries that can't be read (old, foreign, poisoned) are parked and logged once. */
  work(side: Side, options: WorkOptions): Promise<QueueWorker>;
  /** Waiting, active and parked entries of a side. */
  counts(side: Side): Promise<{ readonly waiting: number; readonly active: number; readonly parked: number }>;
  /** What an operator should know, such as Redis without append-only persistence; empty when all is well. */
  warnings(): Promise<readonly string[]>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
