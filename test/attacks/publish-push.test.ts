import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { withTemporaryRepository } from '../../src/git/temporary-repository.ts';
import { pushBranch } from '../../src/publish/push.ts';
import { createWorld, type World, type WorldOptions } from '../fakes/git-world.ts';
import { BRANCH, bareGit, makePublishable } from '../fakes/publishable.ts';

async function ready(t: { after(body: () => Promise<void>): void }, options: WorldOptions = {}) {
  const world = await createWorld(options);
  t.after(() => world.close());
  const parts = await makePublishable(world);
  return { world, prepared: parts.prepared, publishIt: parts.publish };
}

const pushes = ({ server }: World) =>
  server.requests.filter(({ path: asked }) => asked.endsWith('/git-receive-pack')).length;

async function setHook({ upstream }: World, script: string): Promise<void> {
  const hooks = path.join(upstream.bare, 'hooks');
  await mkdir(hooks, { recursive: true });
  await writeFile(path.join(hooks, 'pre-receive'), `#!/bin/sh\n${script}\n`);
  await chmod(path.join(hooks, 'pre-receive'), 0o755);
}

describe('src/publish/push.ts: never over what is there (T48)', () => {
  it('a branch of that name with another commit stays as it is, and no draft is made', async (t) => {
    const { world, publishIt } = await ready(t);
    await bareGit(world, 'branch', BRANCH, 'grove');
    const before = await bareGit(world, 'for-each-ref');
    const publication = await publishIt();
    assert.equal(publication.kind === 'refused' && publication.code, 'branch_taken');
    assert.equal(await bareGit(world, 'for-each-ref'), before);
    assert.deepEqual(world.forge.drafts, []);
  });

  it('of twelve racing pushers of different commits one wins, and nothing is overwritten', async (t) => {
    const { world, prepared } = await ready(t);
    const access = {
      mint: () => world.forge.gitAccess(world.run(prepared.base).trigger.repository, 'write', world),
      delaysMs: [],
    };
    const borrowFrom = path.join(world.folder, 'mirrors/github-5.git/objects');
    const options = { ...world, shallow: [prepared.base.commit], borrowFrom };
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        withTemporaryRepository(world.deps, options, async (repository) => {
          const args: [string, ...string[]] = [
            'commit-tree',
            '-p',
            prepared.base.commit,
            '-m',
            `racer ${n}`,
            prepared.base.tree,
          ];
          const env = {
            GIT_AUTHOR_NAME: 'a',
            GIT_AUTHOR_EMAIL: 'a',
            GIT_COMMITTER_NAME: 'a',
            GIT_COMMITTER_EMAIL: 'a',
          };
          const commit = (await world.git.run({ cwd: repository, args, env }, world)).stdout
            .toString()
            .trim();
          const request = { repository, commit, branch: BRANCH, access, fence: async () => {} };
          return { commit, pushed: await pushBranch(world.git, request, world) };
        }),
      ),
    );
    const winners = results.filter(({ pushed }) => pushed.kind === 'done');
    assert.equal(winners.length, 1);
    assert.equal(await bareGit(world, 'rev-parse', `refs/heads/${BRANCH}`), winners[0]!.commit);
    for (const { pushed } of results)
      assert.ok(pushed.kind === 'done' || (pushed.kind === 'refused' && pushed.code === 'branch_taken'));
  });
});

describe('src/publish/push.ts: lost answers (E11)', () => {
  it('a push that was taken but whose answer was lost is found again', async (t) => {
    let cuts = 0;
    const { world, publishIt } = await ready(t, {
      gate: ({ url }) => {
        if (!url?.endsWith('/git-receive-pack') || cuts > 0) return null;
        cuts += 1;
        return 'cut_after';
      },
    });
    const publication = await publishIt();
    assert.equal(publication.kind, 'published');
    assert.equal(cuts, 1);
    // The HTTP library may send the same request once more by itself; the empty lease makes that harmless.
    assert.ok(pushes(world) <= 2);
    assert.equal(await bareGit(world, 'rev-parse', `refs/heads/${BRANCH}`), publication.published.commit);
  });

  it('a push that got lost altogether is a fault that may be tried again; the next try makes one branch and one draft', async (t) => {
    let down = true;
    const { world, publishIt } = await ready(t, {
      gate: ({ url }) => (down && url?.includes('git-receive-pack') ? { status: 502 } : null),
    });
    await assert.rejects(publishIt(), { code: 'forge_unavailable', retryable: true });
    assert.deepEqual(world.forge.drafts, []);
    down = false;
    assert.equal((await publishIt()).kind, 'published');
    assert.equal((await publishIt()).kind, 'published');
    assert.equal(world.forge.drafts.length, 1);
    const branches = await bareGit(world, 'for-each-ref', '--format=%(refname)');
    assert.deepEqual(branches.split('\n'), ['refs/heads/grove', `refs/heads/${BRANCH}`]);
  });

  it('a rejected branch is a refusal though the transport is fine', async (t) => {
    const { world, publishIt } = await ready(t);
    await setHook(world, 'echo no way; exit 1');
    const publication = await publishIt();
    assert.equal(publication.kind, 'refused');
    assert.deepEqual(world.forge.drafts, []);
  });
});

describe('src/publish/push-answer.ts: refused with a reason (E12)', () => {
  const hooks: [string, string][] = [
    [
      'refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission',
      'workflows_protected',
    ],
    ['error: GH006: Protected branch update failed for refs/heads/x.', 'branch_protected'],
    [
      'error: GH013: Repository rule violations found. Commits must have verified signatures.',
      'unsigned_commit',
    ],
    [
      'error: GH013: Repository rule violations found. GITHUB PUSH PROTECTION: Push cannot contain secrets',
      'secret_found',
    ],
    [
      'error: GH001: Large files detected. File a is 123 MB; this exceeds the file size limit of 100 MB',
      'file_too_large',
    ],
    ['every commit needs a Signed-off-by line', 'sign_off_missing'],
    ['branch names must match feature/*', 'branch_protected'],
    ['the moon is in the wrong phase', 'push_rejected'],
  ];
  for (const [said, code] of hooks) {
    it(`${code}: ${said.slice(0, 40)}`, async (t) => {
      const { world, publishIt } = await ready(t);
      await setHook(world, `cat <<'E'\n${said}\nE\nexit 1`);
      const publication = await publishIt();
      assert.equal(publication.kind === 'refused' && publication.code, code);
      const quoted = publication.kind === 'refused' ? (publication.details.said ?? '') : '';
      assert.equal(quoted.split(said).length, 2, quoted);
      assert.equal(pushes(world), 1);
    });
  }

  it('what a hook says is capped and printable', async (t) => {
    const { world, publishIt } = await ready(t);
    await setHook(
      world,
      `printf '\\033[2J\\033]0;x\\007evil\\n'; yes 'a long line of complaint' | head -c 100000; exit 1`,
    );
    const publication = await publishIt();
    const quoted = publication.kind === 'refused' ? (publication.details.said ?? '') : '';
    assert.ok(quoted.includes('evil'));
    assert.ok(!/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(quoted));
    assert.ok(Buffer.byteLength(quoted) <= 1000);
  });
});

describe('src/run/publish.ts: the base moves (E09)', () => {
  it('a default branch that advanced keeps the recorded base, and the move is told', async (t) => {
    const { world, prepared, publishIt } = await ready(t);
    await world.upstream.commit({ 'later.txt': 'x\n' });
    const publication = await publishIt();
    assert.equal(publication.kind, 'published');
    assert.equal(publication.baseMoved, true);
    assert.equal(await bareGit(world, 'rev-parse', `${publication.published.commit}^`), prepared.base.commit);
    assert.equal(world.forge.drafts[0]!.base, 'grove');
  });

  it('a default branch that was force-pushed away from the base keeps the recorded base all the same', async (t) => {
    const world = await createWorld();
    t.after(() => world.close());
    await world.upstream.commit({ old: '1\n' }, 'first');
    await world.upstream.commit({ old: '2\n' }, 'second');
    const { prepared, publish } = await makePublishable(world);
    await world.upstream.git(['checkout', '-q', '--orphan', 'fresh']);
    await world.upstream.git(['commit', '-q', '-m', 'another history']);
    await world.upstream.git(['push', '-q', '-f', 'origin', 'fresh:grove']);
    const publication = await publish();
    assert.equal(publication.kind, 'published');
    assert.equal(publication.baseMoved, true);
    assert.equal(await bareGit(world, 'rev-parse', `${publication.published.commit}^`), prepared.base.commit);
    assert.equal(await bareGit(world, 'rev-list', '--count', publication.published.commit), '4');
    assert.equal(await bareGit(world, 'fsck'), '');
  });

  it('old branches named main and master are not looked at', async (t) => {
    const world = await createWorld();
    t.after(() => world.close());
    const old = await world.upstream.commit({ old: '1\n' });
    await bareGit(world, 'branch', 'main', old);
    await bareGit(world, 'branch', 'master', old);
    const prepared = await world.prepared({ 'a.txt': 'one\n' });
    assert.equal(prepared.base.branch, 'grove');
    assert.equal(prepared.base.commit, await bareGit(world, 'rev-parse', 'refs/heads/grove'));
    assert.equal(prepared.files, 2);
  });

  it('works without the mirror, from what the run stored', async (t) => {
    const { rm } = await import('node:fs/promises');
    const { world, publishIt } = await ready(t);
    await rm(path.join(world.folder, 'mirrors'), { recursive: true });
    const publication = await publishIt();
    assert.equal(publication.kind, 'published');
    assert.deepEqual(world.forge.minted, ['read', 'write']);
  });
});
