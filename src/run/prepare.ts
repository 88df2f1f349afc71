import { fault } from '../errors.ts';
import type { Forge } from '../forge/types.ts';
import { readTree, type TreeCaps } from '../git/tree.ts';
import type { Git } from '../git.ts';
import type { Mirrors } from '../mirror/mirror.ts';
import type { Artifacts, Run } from '../store/types.ts';
import type { Prepared } from './types.ts';

export interface PrepareDeps {
  readonly git: Git;
  readonly mirrors: Mirrors;
  readonly forge: Pick<Forge, 'gitAccess'>;
  readonly artifacts: Pick<Artifacts, 'put'>;
  readonly treeCaps?: TreeCaps;
  /** Waits for a token that the forge does not know yet, ms. */
  readonly accessDelaysMs?: readonly number[];
}

interface CallOptions {
  readonly signal: AbortSignal;
}

/**
 * The prepare stage: the admitted base commit, whatever became of its branch since (case E09), as a pack of that commit,
 * its tree and its files in the artifact store. No parent, tag or other branch is in it (T47).
 * Faults: `forge_*`, `git_failed`, `repository_too_large`, `repository_invalid`.
 */
export async function prepare(
  deps: PrepareDeps,
  run: Pick<Run, 'id' | 'trigger' | 'admitted'>,
  { signal }: CallOptions,
): Promise<Prepared> {
  const { git, mirrors, forge, artifacts, treeCaps } = deps;
  const { repository, forge: forgeName } = run.trigger;
  if (run.admitted === null) throw fault('internal', { detail: 'prepare was called for a run not admitted' });
  const { branch, commit } = run.admitted.base;
  const access = {
    mint: () => forge.gitAccess(repository, 'read', { signal }),
    ...(deps.accessDelaysMs && { delaysMs: deps.accessDelaysMs }),
  };
  return mirrors.use(
    { forge: forgeName, repositoryId: repository.id },
    async (mirror) => {
      await mirror.ensureCommit(commit, access, { signal });
      const tree = await readTreeId(git, { cwd: mirror.path, commit }, { signal });
      const files = await readTree(
        git,
        { cwd: mirror.path, tree, ...(treeCaps && { caps: treeCaps }) },
        { signal },
      );
      const pack = `runs/${run.id}/base.pack`;
      const { bytes } = await artifacts.put(pack, packCommit(git, { cwd: mirror.path, commit }, { signal }));
      return { base: { branch, commit, tree }, pack, packBytes: bytes, files: files.size };
    },
    { signal },
  );
}

async function readTreeId(
  git: Git,
  { cwd, commit }: { readonly cwd: string; readonly commit: string },
  { signal }: CallOptions,
): Promise<string> {
  const args = ['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`] as const;
  return (await git.run({ cwd, args: [...args] }, { signal })).stdout.toString('latin1').trim();
}

/**
 * A pack of exactly this commit: `--no-walk` keeps to it even where the mirror knows its history. Deltas that the forge
 * made are used again; looking for more would cost more than it saves on a pack that travels within the machine room.
 */
function packCommit(
  git: Git,
  { cwd, commit }: { readonly cwd: string; readonly commit: string },
  { signal }: CallOptions,
): AsyncIterable<Uint8Array> {
  const objects = git.stream(
    { cwd, args: ['rev-list', '--objects', '--no-walk', '--end-of-options', commit] },
    { signal },
  );
  return git.stream(
    {
      cwd,
      args: ['pack-objects', '--quiet', '--stdout', '--delta-base-offset', '--window=0'],
      stdin: objects,
    },
    { signal },
  );
}
