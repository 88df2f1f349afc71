import type { Permission } from '../forge/types.ts';

/** The policy of a repository after all layers: file, server caps. Every number is already within the server's caps. */
export interface Policy {
  readonly enabled: boolean;
  readonly label: string;
  /** Container image for backends that have images; null = the server's default. */
  readonly image: string | null;
  /** Shell command run once in each fresh sandbox before tests (no network); null = none. */
  readonly setup: string | null;
  /** Null = the repository has no test command: nothing is measured, and the draft says so. */
  readonly test: TestPolicy | null;
  readonly paths: { readonly deny: readonly string[] };
  readonly limits: PolicyLimits;
}

export interface TestPolicy {
  /** Shell command, run at the root of the work tree with `TADPOLE_REPORT` naming a file outside it to write the report to. */
  readonly command: string;
  readonly report: {
    readonly format: 'junit' | 'none';
    /** Path in the work tree, for runners that cannot write to `$TADPOLE_REPORT`; null = `$TADPOLE_REPORT`. */
    readonly path: string | null;
  };
  readonly timeoutMinutes: number;
}

export interface PolicyLimits {
  /** Model turns. */
  readonly steps: number;
  /** Wall time of the agent, minutes. */
  readonly minutes: number;
  readonly filesChanged: number;
  readonly runsADay: number;
}

/** Where a policy came from: path at a commit, or the server's default policy. */
export interface PolicySource {
  readonly path: string;
  /** Null for the server's default policy. */
  readonly commit: string | null;
}

/** The text as of the label: what the model reads, and what the draft's hash stands for. */
export interface PinnedText {
  readonly title: string;
  readonly body: string;
  readonly comments: readonly {
    readonly author: string;
    readonly createdAt: string;
    readonly body: string;
  }[];
  /** Comments that were left out because they were written or edited after the label, or by bots. */
  readonly omitted: number;
  /** Characters that no reader of the page sees and that were therefore taken out: comments of HTML, zero-width and the like. */
  readonly hidden?: number;
  /** The text handed to the model, canonical. */
  readonly text: string;
  /** SHA-256 of `text`, hex. */
  readonly sha256: string;
  /** Moment of the label, ISO 8601. */
  readonly takenAt: string;
}

export interface Admitted {
  readonly kind: 'admitted';
  readonly policy: Policy;
  readonly policySource: PolicySource;
  /** Wishes of the policy above a cap of the server, as sentences' ends: `limits.steps` 500, the server allows 150. */
  readonly narrowed?: readonly string[];
  readonly pinned: PinnedText;
  readonly permission: Permission;
  readonly base: { readonly branch: string; readonly commit: string };
}

export const REFUSALS = [
  'label_not_ours',
  'sender_is_bot',
  'permission_too_low',
  'repository_archived',
  'repository_disabled',
  'repository_empty',
  'repository_gone',
  'issue_gone',
  'issue_closed',
  'is_pull_request',
  'label_gone',
  'policy_missing',
  'policy_invalid',
  'policy_disabled',
  'already_running',
  'daily_cap',
  'hourly_cap',
] as const;
export type RefusalCode = (typeof REFUSALS)[number];

export interface Refused {
  readonly kind: 'refused';
  readonly code: RefusalCode;
  /** Values for the comment's text: which permission was found, which line of the policy, which cap. */
  readonly details: Readonly<Record<string, string>>;
}

export type Admission = Admitted | Refused;
