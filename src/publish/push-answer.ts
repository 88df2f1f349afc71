import { clip } from '../clip.ts';
import { printable } from '../printable.ts';

/** Why a forge did not take a push, as far as its answer can be told apart. */
export const PUSH_REFUSALS = [
  'branch_taken',
  'workflows_protected',
  'secret_found',
  'file_too_large',
  'unsigned_commit',
  'sign_off_missing',
  'branch_protected',
  'push_rejected',
] as const;
export type PushRefusal = (typeof PUSH_REFUSALS)[number];

export type PushAnswer =
  /** The branch is on the forge with our commit, new or from before. */
  | { readonly kind: 'done' }
  /** The forge took neither side's word for the base's history; it wants to see it. */
  | { readonly kind: 'needs_history' }
  /** Someone else was writing the branch at this moment. */
  | { readonly kind: 'raced' }
  | { readonly kind: 'refused'; readonly code: PushRefusal; readonly said: string }
  /** git ended without a word about the branch. */
  | { readonly kind: 'unknown' };

const SAID_BYTES = 1000;

/** First match wins: the special before the general. Texts of GitHub, Gitea and of hooks in common use. */
const CAUSES: readonly (readonly [RegExp, PushRefusal])[] = [
  [/secret|push protection|credential|GITHUB PUSH PROTECTION/i, 'secret_found'],
  [/refusing to allow .* workflow|\.github\/workflows|workflows? (scope|permission)/i, 'workflows_protected'],
  [/GH001|large files?|file size limit|exceeds .*(limit|maximum)|too large|too big/i, 'file_too_large'],
  [/signed-off-by|sign-?off|\bDCO\b/i, 'sign_off_missing'],
  [/unsigned|must (be|have) (verified )?sign|verified signature|not signed/i, 'unsigned_commit'],
  [/GH006|GH013|protected branch|rule violations|branch name|not allowed to push/i, 'branch_protected'],
];

/**
 * Reads what `git push --porcelain` says about one branch. Only the status line decides whether it was taken: a rejected
 * ref is a rejection even when the transport is fine (case E11). The server's own words are quoted once, capped (E12).
 */
export function parsePushAnswer(stdout: string, stderr: string): PushAnswer {
  const status = stdout.split('\n').find((line) => /^[ *=!+-]\t.*:refs\/heads\//.test(line));
  if (status === undefined) return { kind: 'unknown' };
  if (status.startsWith('*') || status.startsWith('=')) return { kind: 'done' };
  const reason = /\((?<reason>.*)\)\s*$/.exec(status)?.groups?.reason ?? '';
  if (/shallow update/.test(reason)) return { kind: 'needs_history' };
  // Perhaps another worker of the same run with the same commit: only the forge can tell.
  if (/failed to update ref|lock ref|incorrect old value|already exists/.test(reason))
    return { kind: 'raced' };
  if (/stale info|fetch first|non-fast-forward/.test(reason))
    return { kind: 'refused', code: 'branch_taken', said: reason };
  const said = clip([...remoteLines(stderr), printable(reason)].join('\n').trim(), SAID_BYTES);
  const cause = CAUSES.find(([pattern]) => pattern.test(said));
  return { kind: 'refused', code: cause?.[1] ?? 'push_rejected', said };
}

function remoteLines(stderr: string): string[] {
  return stderr
    .split(/[\r\n]/)
    .filter((line) => line.startsWith('remote: '))
    .map((line) => printable(line.slice('remote: '.length)).trimEnd());
}
