import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fault } from '../../src/errors.ts';
import { publish } from '../../src/run/publish.ts';
import { createWorld, type World } from '../fakes/git-world.ts';
import { BRANCH, makePublishable, TEXTS } from '../fakes/publishable.ts';

const branchesOf = ({ upstream }: World) =>
  upstream.git(['for-each-ref', '--format=%(refname) %(objectname)'], upstream.bare);

describe('src/run/publish.ts', () => {
  it('opens one draft from one commit that names bot, requester and base, however often it is repeated', async (t) => {
    const world = await createWorld();
    t.after(() => world.close());
    const files = { 'calc.py': 'a = 1\n', 'other.py': 'b = 1\n' };
    const parts = await makePublishable(world, { files, script: 'echo "a = 2" > calc.py' });
    const first = await parts.publish();
    const second = await parts.publish();
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
    assert.deepEqual(parts.effects.slice(0, 4), [
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
      const parts = await makePublishable(world);
      spoil(world);
      const before = await branchesOf(world);
      const result = await parts.publish();
      assert.equal(result.kind === 'refused' && result.code, code);
      assert.equal(await branchesOf(world), before);
      assert.deepEqual(parts.effects, []);
      assert.deepEqual(world.forge.minted, ['read']);
    });
  }

  it('a lost lease stops it before the push', async (t) => {
    const world = await createWorld();
    t.after(() => world.close());
    const parts = await makePublishable(world);
    const before = await branchesOf(world);
    const fence = async () => {
      throw fault('lease_lost', { detail: 'taken over' });
    };
    const held = { ...parts.held, fence };
    await assert.rejects(publish(world.deps, { held, texts: TEXTS }, world), { code: 'lease_lost' });
    assert.equal(await branchesOf(world), before);
  });
});
