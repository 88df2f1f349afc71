import type { Outcome } from '../../outcome.ts';

/** How the run that is being watched ended. */
export interface TryEnding {
  readonly outcome: Outcome;
  /** Address of the draft; null when there is none. */
  readonly draft: string | null;
  /** Code and values behind the outcome. */
  readonly details: Readonly<Record<string, string>>;
}

/** What stands above the stages. */
export interface TryTitle {
  readonly version: string;
  /** Such as `bubblewrap`. */
  readonly sandbox: string;
  /** The model's label; says so when it is a recording. */
  readonly model: string;
}
