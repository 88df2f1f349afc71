import type { Isolation } from '../sandbox/types.ts';
import type { Verification } from '../verification/types.ts';

/** Result of the prepare stage (forge side): what the sandbox side may have of the repository. */
export interface Prepared {
  readonly base: { readonly branch: string; readonly commit: string; readonly tree: string };
  /** Artifact key of a git pack with the base commit, its tree and blobs: depth 1, no other history. */
  readonly pack: string;
  readonly packBytes: number;
  readonly files: number;
}

export interface FileChange {
  readonly path: string;
  readonly kind: 'added' | 'modified' | 'deleted';
  readonly oldMode: string | null;
  readonly newMode: string | null;
  /** Lines, or null for binary files. */
  readonly additions: number | null;
  readonly deletions: number | null;
}

/** Result of the change stage: the tree that the agent left, judged. */
export type Change =
  | { readonly kind: 'none'; readonly ignored: number }
  | { readonly kind: 'refused'; readonly problems: readonly string[] }
  | {
      readonly kind: 'changed';
      readonly tree: string;
      readonly files: readonly FileChange[];
      /** Artifact key of a git pack with the tree and every object that the base lacks. */
      readonly pack: string;
      /** Notes for reviewers: large files, mode changes, dropped rubbish; our words. */
      readonly notes: readonly string[];
    };

/** Why the agent loop ended: Leaf's reasons and our two loop breakers. */
export const EXIT_REASONS = [
  'agent',
  'max_turns',
  'max_context_len',
  'max_tokens_per_turn',
  'max_time',
  'tool_error',
  'llm_query_error',
  'cancelled',
  'no_progress',
  'no_answer',
] as const;
export type ExitReason = (typeof EXIT_REASONS)[number];

/** Account of the agent's work, for record and draft. The model's own words are hostile text. */
export interface AgentSummary {
  readonly exitReason: ExitReason;
  readonly turns: number;
  readonly toolCalls: number;
  readonly tokens: number;
  readonly durationMs: number;
  /** The model's last prose, uncut here (at most 64 KiB); shown quoted, capped and labelled only. */
  readonly lastWords: string;
  readonly transcript: string;
  readonly model: string;
  readonly recorded: boolean;
  readonly profile: string;
}

/** Result of the sandbox side: everything that the forge side needs to publish. */
export interface Worked {
  readonly sandbox: {
    readonly kind: string;
    readonly version: string;
    readonly notLimited: readonly string[];
  };
  readonly isolation: { readonly before: Isolation; readonly after: Isolation };
  readonly agent: AgentSummary;
  readonly change: Change;
  /** Null unless the change is `changed` and the agent ended by itself. */
  readonly verification: Verification | null;
}

export interface Published {
  readonly branch: string;
  readonly commit: string;
  readonly draft: { readonly number: number; readonly webUrl: string };
}
