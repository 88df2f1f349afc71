/**
 * The branch of a run: the same at every try, so that a repeat finds what an earlier one left (case E11), and made of our
 * own characters only (T13). `runId` ends in a ULID; its random part's first eight characters are taken.
 */
export function branchName({ issue, runId }: { readonly issue: number; readonly runId: string }): string {
  const random = runId
    .slice(-16, -8)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '0');
  return `tadpole/issue-${Math.trunc(issue)}-${random}`;
}
