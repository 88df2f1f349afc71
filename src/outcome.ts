/** How a run can end. Every run ends in exactly one of these; it is logged, counted, stored and shown. */
export const OUTCOMES = [
  'pr_opened',
  'no_changes',
  'limit_reached',
  'cancelled',
  'change_refused',
  'publish_refused',
  'refused',
  'faulted',
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** The stages of a run in their order, as logs, events, metrics and the terminal name them. */
export const STAGES = [
  'webhook',
  'admission',
  'queue',
  'prepare',
  'sandbox',
  'agent',
  'change',
  'verification',
  'publish',
  'report',
] as const;

export type Stage = (typeof STAGES)[number];
