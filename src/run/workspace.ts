import { fault } from '../errors.ts';
import { printableBytes } from '../printable.ts';
import { type ExecResult, type Sandbox, SCRATCH, WORKSPACE } from '../sandbox/types.ts';

/** What a work tree is made of. */
export interface WorkspaceContent {
  /** Git packs that together hold everything below `tree` (and the commit, where one is given). */
  readonly packs: readonly AsyncIterable<Uint8Array>[];
  readonly tree: string;
  /** The commit to stand on, its parents unknown; null makes a parentless commit of the tree. */
  readonly commit: string | null;
}

interface CallOptions {
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 15 * 60_000;
const OBJECT_ID = /^[0-9a-f]{40}$/;

/**
 * One repository with one commit and no remote, and the tree's bytes as they are: no line-ending, filter, keyword or
 * encoding conversion, also for the git commands that the agent runs later (docs/decisions). Every file is hashed again
 * at the end: the index knows no file times when `update-index` looks, so that it reads each one.
 */
const FILL = `
set -eu
tree=$1 commit=$2 packs=$3
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_TERMINAL_PROMPT=0
cd ${WORKSPACE}
git -c init.defaultBranch=main init --quiet --template=
mkdir -p .git/info
printf '%s\\n' '* -text -eol -filter -ident -working-tree-encoding' >.git/info/attributes
git config core.autocrlf false
git config core.fsmonitor false
git config core.fileMode true
git config core.symlinks true
git config gc.auto 0
git config user.name agent
git config user.email agent@sandbox.invalid
for pack in "$packs"/*.pack; do
  git index-pack --stdin <"$pack" >/dev/null
done
rm -rf "$packs"
if [ -n "$commit" ]; then
  printf '%s\\n' "$commit" >.git/shallow
else
  commit=$(GIT_AUTHOR_DATE='@0 +0000' GIT_COMMITTER_DATE='@0 +0000' git commit-tree -m snapshot "$tree")
fi
git update-ref refs/heads/main "$commit"
git read-tree --reset "$commit"
git checkout-index --quiet --force --all
git update-index --really-refresh >/dev/null || { echo 'a file differs from its object' >&2; exit 3; }
[ -z "$(git ls-files --others --directory)" ] || { echo 'a file is there that the tree lacks' >&2; exit 4; }
git write-tree
`;

/**
 * Fills the empty work tree of a fresh sandbox. The far side checks the packs, then every file against its object, and
 * tells the tree's id. Faults: `sandbox_transfer_failed` when anything differs, and the sandbox's own.
 */
export async function fillWorkspace(
  sandbox: Pick<Sandbox, 'exec' | 'put'>,
  { packs, tree, commit }: WorkspaceContent,
  { signal }: CallOptions,
): Promise<void> {
  if (!OBJECT_ID.test(tree) || (commit !== null && !OBJECT_ID.test(commit)))
    throw fault('internal', { detail: 'a work tree was to be made of something that is no object id' });
  const folder = `${SCRATCH}/packs`;
  for (const [index, pack] of packs.entries()) await sandbox.put(`${folder}/${index}.pack`, pack, { signal });
  const result = await sandbox.exec(
    {
      id: 'fill-workspace',
      argv: ['sh', '-c', FILL, 'tadpole', tree, commit ?? '', folder],
      timeoutMs: TIMEOUT_MS,
    },
    { signal },
  );
  const filled = new TextDecoder().decode(result.stdout.head).trim();
  if (result.exitCode !== 0 || filled !== tree) throw notFilled(result);
}

function notFilled({ exitCode, timedOut, stderr }: ExecResult) {
  const said = printableBytes(stderr.head).slice(0, 2000);
  const ending = timedOut ? 'did not end in time' : `ended with ${exitCode ?? 'a signal'}`;
  return fault('sandbox_transfer_failed', { detail: `filling the work tree ${ending}: ${said}` });
}
