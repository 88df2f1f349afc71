import type { Policy } from '../admission/types.ts';
import { countLines, isWhitespaceOnly } from '../change/count-lines.ts';
import { fetchBlobs, findUnknownBlobs } from '../change/fetch-blobs.ts';
import { judgeChange } from '../change/judge.ts';
import { takeListing } from '../change/take-listing.ts';
import { type ChangeCaps, DEFAULT_CHANGE_CAPS, type Judgement } from '../change/types.ts';
import { packTree, writeTree } from '../change/write-tree.ts';
import { indexPack, withTemporaryRepository } from '../git/temporary-repository.ts';
import { readTree, type Tree } from '../git/tree.ts';
import type { Git } from '../git.ts';
import type { Log } from '../log.ts';
import type { Sandbox } from '../sandbox/types.ts';
import type { Artifacts } from '../store/types.ts';
import type { Change, Prepared } from './types.ts';

export interface ChangeDeps {
  readonly git: Git;
  readonly log: Log;
  readonly artifacts: Pick<Artifacts, 'put' | 'open'>;
  /** For temporary repositories; one of the folders that `createGit` was given. */
  readonly folder: string;
  readonly caps?: ChangeCaps;
}

export interface ChangeRequest {
  readonly runId: string;
  /** The agent's sandbox, with nothing running in it. */
  readonly sandbox: Pick<Sandbox, 'exec'>;
  readonly prepared: Prepared;
  readonly policy: {
    readonly paths: Policy['paths'];
    readonly limits: Pick<Policy['limits'], 'filesChanged'>;
  };
}

interface CallOptions {
  readonly signal: AbortSignal;
}

/** Times that the work tree is looked at before it counts as never standing still. */
const MAX_LOOKS = 3;

/**
 * The change stage: the work tree that the agent left, against the recorded base, as content-addressed objects. Nothing of
 * the agent's `.git`, environment or attributes takes part; no file of the tree is ever laid out on our side. The result is
 * stored as a pack of what the base lacks.
 * Faults: `sandbox_*`, `artifact_missing`, `git_failed`. All that the agent is to blame for is a value.
 */
export async function collectChange(
  deps: ChangeDeps,
  request: ChangeRequest,
  { signal }: CallOptions,
): Promise<Change> {
  const { git, artifacts, folder } = deps;
  const { base, pack } = request.prepared;
  return withTemporaryRepository({ git, folder }, { signal, shallow: [base.commit] }, async (repository) => {
    await indexPack(git, { cwd: repository, pack: await artifacts.open(pack) }, { signal });
    const tree = await readTree(git, { cwd: repository, tree: base.tree }, { signal });
    for (let look = 1; look <= MAX_LOOKS; look += 1) {
      const change = await lookOnce(deps, { ...request, repository, tree }, { signal });
      if (change !== null) return change;
      deps.log.warn({ look }, 'work tree changed while it was read');
    }
    return { kind: 'refused', problems: ['files kept changing while they were read'] };
  });
}

interface Look extends ChangeRequest {
  /** Our repository, which has the base. */
  readonly repository: string;
  readonly tree: Tree;
}

/** Null when a file changed between the listing and the reading. */
async function lookOnce(deps: ChangeDeps, look: Look, { signal }: CallOptions): Promise<Change | null> {
  const { git, caps = DEFAULT_CHANGE_CAPS } = deps;
  const { sandbox, repository, tree, policy } = look;
  const taken = await takeListing(sandbox, { base: tree, caps }, { signal });
  if (taken.kind === 'too_many')
    return { kind: 'refused', problems: [`the work tree holds more than ${caps.listedFiles} files`] };
  if (taken.kind === 'unreadable')
    return { kind: 'refused', problems: [`the work tree could not be read: ${taken.said}`] };
  const judgement = judgeChange(tree, taken.listing, { policy, caps });
  if (judgement.kind !== 'changed') return judgement;
  const known = new Set([...tree.values()].map(({ id }) => id));
  const wanted = findUnknownBlobs(judgement.edits, known);
  if (!(await fetchBlobs({ sandbox, git, repository }, wanted, { signal }))) return null;
  return storeChange(deps, { ...look, judgement }, { signal });
}

async function storeChange(
  { git, artifacts }: ChangeDeps,
  look: Look & { readonly judgement: Extract<Judgement, { kind: 'changed' }> },
  { signal }: CallOptions,
): Promise<Change> {
  const { repository, judgement, runId } = look;
  const { edits, notes, ignored } = judgement;
  const base = look.prepared.base.tree;
  const tree = await writeTree(git, { repository, base, edits }, { signal });
  const trees = { repository, base, tree, edits };
  const files = await countLines(git, trees, { signal });
  if (await isWhitespaceOnly(git, trees, { signal }))
    return { kind: 'none', ignored: ignored + edits.length };
  const pack = `runs/${runId}/change.pack`;
  await artifacts.put(pack, packTree(git, { repository, tree, base }, { signal }));
  return { kind: 'changed', tree, files, pack, notes };
}
