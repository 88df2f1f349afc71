import type { Policy } from '../admission/types.ts';
import type { BytePath } from '../git/tree.ts';

/** A file or symlink that the sandbox's listing names. Everything here is a claim until its blob was hashed on our side. */
export interface FoundFile {
  readonly mode: '100644' | '100755' | '120000';
  readonly bytes: number;
  /** Blob id; null when the file is too large to be part of a change. */
  readonly id: string | null;
  /** True where the tree's own ignore files say so. */
  readonly ignored: boolean;
}

/** The work tree as the agent left it. */
export interface Listing {
  readonly files: ReadonlyMap<BytePath, FoundFile>;
  /** Cache folders that were not looked into. */
  readonly caches: readonly BytePath[];
  /** Folders other than the top that hold a `.git` of their own. */
  readonly nestedRepositories: readonly BytePath[];
}

export interface ChangeCaps {
  /** Largest file that a change may hold, bytes. */
  readonly fileBytes: number;
  /** All added and modified files together, bytes. */
  readonly totalBytes: number;
  /** Files in the work tree, caches left out. */
  readonly listedFiles: number;
}

export const DEFAULT_CHANGE_CAPS: ChangeCaps = {
  fileBytes: 5 * 1024 ** 2,
  totalBytes: 20 * 1024 ** 2,
  listedFiles: 300_000,
};

/** What the repository's policy says about changes. */
export interface ChangeRules {
  readonly policy: {
    readonly paths: Policy['paths'];
    readonly limits: Pick<Policy['limits'], 'filesChanged'>;
  };
  readonly caps: ChangeCaps;
}

/** One file of an accepted change. */
export interface Edit {
  readonly path: BytePath;
  readonly kind: 'added' | 'modified' | 'deleted';
  readonly oldMode: string | null;
  readonly newMode: string | null;
  /** Blob id and size; null for a deletion. */
  readonly blob: { readonly id: string; readonly bytes: number } | null;
}

export type Judgement =
  | { readonly kind: 'none'; readonly ignored: number }
  | { readonly kind: 'refused'; readonly problems: readonly string[] }
  | {
      readonly kind: 'changed';
      readonly edits: readonly Edit[];
      readonly notes: readonly string[];
      readonly ignored: number;
    };
