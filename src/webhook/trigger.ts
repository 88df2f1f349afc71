import type { Actor, RepositoryRef } from '../forge/types.ts';

/** What a delivery asks for, in our words. Made by `forge/<kind>/parse.ts` from a verified payload, stored before the 2xx. */
export interface LabelTrigger {
  readonly kind: 'label';
  readonly forge: ForgeName;
  readonly deliveryId: string;
  /**
   * Identity of what happened, whatever number of deliveries tell of it: repository id, issue, label and the issue's
   * `updated_at` at the event. Equal intents make one run (case B02).
   */
  readonly intent: string;
  readonly repository: RepositoryRef;
  readonly issue: number;
  readonly label: string;
  readonly sender: Actor;
  /** Moment of the label by the forge's clock, ISO 8601; comments after it are not read. */
  readonly labelledAt: string;
  /** The issue as the signed payload shows it at the moment of the label: later edits cannot reach the prompt (T19). */
  readonly title: string;
  readonly body: string;
}

/** The label was taken off, or the issue closed or deleted: an active run ends as `cancelled`. */
export interface CancelTrigger {
  readonly kind: 'cancel';
  readonly forge: ForgeName;
  readonly deliveryId: string;
  readonly repository: RepositoryRef;
  readonly issue: number;
  readonly reason: 'label_removed' | 'issue_closed' | 'issue_deleted';
  /** The label that was taken off; null for the other reasons. */
  readonly label: string | null;
  readonly sender: Actor;
}

export type Trigger = LabelTrigger | CancelTrigger;
export type ForgeName = 'github';
