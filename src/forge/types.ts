/**
 * The forge port: what Tadpole asks of GitHub, GitHub Enterprise Server and, later, others.
 *
 * Who calls it: the forge side only (admission, prepare, publish, report). The sandbox side never holds one.
 * How often: reads once per stage; writes a few times a run. Several runs call it at the same time.
 * Idempotence: every write is `ensureX`: it reads the present state, compares, and acts only on a difference; it finds its
 * own earlier work by a deterministic branch name or a hidden marker, so that repeating a write whose answer was lost makes
 * nothing new (case E11). The adapter retries what is safe to retry (transport errors, 5xx, rate limits up to a minute);
 * longer waits are thrown as `forge_rate_limited` with `retryAfterMs`.
 * Errors: only faults of the catalogue (`forge_*`). An absent thing (file, branch, issue) is `null`, not an error.
 * Trust: every string that comes back was written by strangers. Adapters parse foreign answers with zod, only the fields
 * that are used, and build every URL from the configured base, never from a payload (T37).
 */

/** A repository as the forge addresses it. `id` survives renames; `installation` is the GitHub App installation that serves it. */
export interface RepositoryRef {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly installation: number;
}

export interface RepositoryFacts {
  readonly ref: RepositoryRef;
  readonly defaultBranch: string;
  /** Commit id of the default branch's head, or null when the repository is empty. */
  readonly head: string | null;
  readonly archived: boolean;
  readonly disabled: boolean;
  readonly webUrl: string;
}

export type ActorKind = 'user' | 'bot';

export interface Actor {
  readonly id: number;
  readonly login: string;
  readonly kind: ActorKind;
}

export interface Comment {
  readonly id: number;
  readonly author: Actor;
  readonly body: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Issue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly state: 'open' | 'closed';
  readonly author: Actor;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly labels: readonly string[];
  readonly isPullRequest: boolean;
  readonly webUrl: string;
  /** In order of creation; at most the newest 200 are read, `commentsOmitted` counts the rest. */
  readonly comments: readonly Comment[];
  readonly commentsOmitted: number;
}

/** What a person may do in a repository, as the forge says now. Ordered: each includes those before it. */
export const PERMISSIONS = ['none', 'read', 'triage', 'write', 'maintain', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** A file of the repository, or why its text can't be had; what can't be read is there all the same. */
export type FileRead =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unreadable'; readonly why: 'not_a_file' | 'too_large' | 'not_text' };

/** How git reaches the repository: an address without credentials, and headers that only the git process may see. */
export interface GitAccess {
  readonly url: string;
  /** HTTP headers as `Name: value` lines, minted just now. Registered as secrets already. */
  readonly headers: readonly string[];
}

export interface CommentRequest {
  /** Hidden marker that identifies the comment, such as `run=r_01J…`; made of `[a-zA-Z0-9_=.-]` only. */
  readonly marker: string;
  /** Markdown, already neutralised; the adapter appends the marker. */
  readonly body: string;
}

export interface DraftRequest {
  /** Branch that holds the change; already pushed. */
  readonly head: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
}

export interface Draft {
  readonly number: number;
  readonly webUrl: string;
  /** False when it was there already, from an earlier try. */
  readonly created: boolean;
}

export interface CheckRequest {
  readonly commit: string;
  readonly name: string;
  readonly conclusion: 'success' | 'neutral' | 'failure';
  readonly title: string;
  readonly summary: string;
}

export interface CallOptions {
  readonly signal: AbortSignal;
}

export interface Forge {
  /** Who we are on this forge, by login (`id` is 0 where the forge does not tell): used to know our own doings. Asked once, then remembered. */
  readIdentity(options: CallOptions): Promise<Actor>;
  /** Null when the repository is gone or we may not see it any more. */
  readRepository(ref: RepositoryRef, options: CallOptions): Promise<RepositoryFacts | null>;
  /** Issue with its comments; null when it was deleted or moved away. */
  readIssue(ref: RepositoryRef, number: number, options: CallOptions): Promise<Issue | null>;
  /** Asked from the forge each time, never taken from a payload. An unknown user has `none`. */
  readPermission(ref: RepositoryRef, login: string, options: CallOptions): Promise<Permission>;
  /** A text file at a commit, at most 1 MiB; null when absent. */
  readFile(
    ref: RepositoryRef,
    file: { readonly path: string; readonly commit: string },
    options: CallOptions,
  ): Promise<FileRead | null>;
  /**
   * What Tadpole needs in this repository and was not granted, as the forge's pages name it, such as `checks: write`.
   * Asked before model time is spent (B12); empty when the repository is gone.
   */
  readMissingPermissions(ref: RepositoryRef, options: CallOptions): Promise<readonly string[]>;
  /** Mints a token for this repository alone: contents read, or contents write. Call it just before git runs. */
  gitAccess(ref: RepositoryRef, access: 'read' | 'write', options: CallOptions): Promise<GitAccess>;
  /** The one comment with this marker, created or edited to this body. */
  ensureComment(
    ref: RepositoryRef,
    issue: number,
    comment: CommentRequest,
    options: CallOptions,
  ): Promise<{ readonly webUrl: string }>;
  /** The label is not on the issue afterwards. Absent already: nothing happens. */
  ensureLabelRemoved(ref: RepositoryRef, issue: number, label: string, options: CallOptions): Promise<void>;
  /** One open draft for head and base. One that exists is adopted and its title and body brought up to date. */
  ensureDraft(ref: RepositoryRef, draft: DraftRequest, options: CallOptions): Promise<Draft>;
  /** One check run with this name on this commit. */
  ensureCheck(ref: RepositoryRef, check: CheckRequest, options: CallOptions): Promise<void>;
}
