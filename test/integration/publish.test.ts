import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fault } from '../../src/errors.ts';
import { publish } from '../../src/run/publish.ts';
import type { Change, Prepared } from '../../src/run/types.ts';
import type { Run } from '../../src/store/types.ts';
import { createWorld, type World } from '../fakes/git-world.ts';

const TEXTS = { title: 'Count the first row when totalling (#42)', body: 'A draft.' };
const BRANCH = 'tadpole/issue-42-4m5n6p7r';

async function changedWorld() {
  const world = await createWorld();
  const prepared = await world.prepared({ 'calc.py': 'a = 1\n', 'other.py': 'b = 1\n' });
  const sandbox = await world.filled(prepared);
  await sandbox.sh('echo "a = 2" > calc.py');
  const change = await world.collect(sandbox, prepared);
  return { world, prepared, change };
}

function heldOf(world: World, { prepared, change }: { prepared: Prepared; change: Change }) {
  const effects: [string, string | null][] = [];
  const run = { ...world.run(prepared.base), prepared, worked: { change } } as unknown as Run;
  return {
    run,
    effects,
    fence: async () => {},
    recordEffect: async (name: string, value: string | null) => void effects.push([name, value]),
  };
}

const branchesOf = ({ upstream }: World) =>
  upstream.git(['for-each-ref', '--format=%(refname) %(objectname)'], upstream.bare);

describe('src/run/publish.ts', () => {
  let parts: Awaited<ReturnType<typeof changedWorld>>;
  before(async () => {
    parts = await changedWorld();
  });
  after(() => parts.world.close());

  it('opens one draft from one commit that names bot, requester and base, however often it is repeated', async () => {
    const { world } = parts;
    const held = heldOf(world, parts);
    const first = await publish(world.deps, { held, texts: TEXTS }, world);
    const second = await publish(world.deps, { held, texts: TEXTS }, world);
    assert.equal(first.kind, 'published');
    assert.deepEqual(second, first);
    assert.equal(world.forge.drafts.length, 1);
    assert.equal(world.forge.drafts[0]!.head, BRANCH);
    assert.equal(world.forge.drafts[0]!.base, 'grove');
    const { commit } = first.published;
    const shown = await world.upstream.git(['cat-file', '-p', commit], world.upstream.bare);
    assert.match(shown, new RegExp(`^parent ${parts.prepared.base.commit}$`, 'm'));
    assert.match(
      shown,
      /^author tadpole\[bot\] <900\+tadpole\[bot\]@users\.noreply\.git\.corp\.test> 1767323045 \+0000$/m,
    );
    assert.match(shown, /^Count the first row when totalling \(#42\)$/m);
    assert.match(shown, /^Co-authored-by: alice <7\+alice@users\.noreply\.git\.corp\.test>$/m);
    const diff = await world.upstream.git(
      ['diff', '--stat', parts.prepared.base.commit, commit],
      world.upstream.bare,
    );
    assert.match(diff, /calc\.py \| 2 \+-/);
    assert.match(diff, /1 file changed/);
    assert.deepEqual(held.effects.slice(0, 4), [
      ['branch', null],
      ['branch', BRANCH],
      ['draft', null],
      ['draft', '100'],
    ]);
  });
});

describe('src/run/publish.ts: what no longer allows a draft', () => {
  const cases: [string, (world: World) => unknown][] = [
    ['permission_too_low', ({ forge }) => Object.assign(forge, { permission: 'read' })],
    ['issue_closed', ({ forge }) => Object.assign(forge.issue!, { state: 'closed' })],
    ['issue_gone', ({ forge }) => Object.assign(forge, { issue: null })],
    ['label_gone', ({ forge }) => Object.assign(forge.issue!, { labels: ['bug'] })],
    ['repository_archived', ({ forge }) => Object.assign(forge, { archived: true })],
    ['repository_gone', ({ forge }) => Object.assign(forge, { gone: true })],
  ];
  for (const [code, spoil] of cases) {
    it(`nothing is written after ${code}`, async (t) => {
      const world = await createWorld();
      t.after(() => world.close());
      const prepared = await world.prepared({ a: '1\n' });
      spoil(world);
      const before = await branchesOf(world);
      const change: Change = {
        kind: 'changed',
        tree: prepared.base.tree,
        files: [],
        pack: 'none',
        notes: [],
      };
      const held = heldOf(world, { prepared, change });
      const result = await publish(world.deps, { held, texts: TEXTS }, world);
      assert.equal(result.kind === 'refused' && result.code, code);
      assert.equal(await branchesOf(world), before);
      assert.deepEqual(held.effects, []);
      assert.deepEqual(world.forge.minted, ['read']);
    });
  }

  it('a lost lease stops it before the push', async (t) => {
    const { world, ...parts } = await changedWorld();
    t.after(() => world.close());
    const before = await branchesOf(world);
    const held = {
      ...heldOf(world, parts),
      fence: async () => {
        throw fault('lease_lost', { detail: 'taken over' });
      },
    };
    await assert.rejects(publish(world.deps, { held, texts: TEXTS }, world), { code: 'lease_lost' });
    assert.equal(await branchesOf(world), before);
  });
});
