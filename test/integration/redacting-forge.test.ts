import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { redactingForge } from '../../src/redacting-forge.ts';
import { createForgeWorld, type ForgeWorld, gitIn } from '../fakes/forge-world.ts';

const PLANTED = 'planted-secret-Zq7/x+9K2m';
const options = { signal: AbortSignal.timeout(60_000) };

describe('src/redacting-forge.ts', () => {
  let world: ForgeWorld;
  before(async () => {
    world = await createForgeWorld();
    world.secrets.register(PLANTED);
  });
  after(() => world.close());

  test('lets no registered secret reach a comment, a draft or a check, in any form (T27)', async () => {
    const forge = redactingForge(world.github, world.secrets);
    const { ref, issue, head, place } = world;
    const forms = [PLANTED, Buffer.from(PLANTED).toString('base64'), encodeURIComponent(PLANTED)];
    const body = `before ${forms.join(' and ')} after`;
    await gitIn(['branch', 'tadpole/issue-1-x', head], { cwd: place.folder, home: place.folder });
    await forge.ensureComment(ref, issue, { marker: 'run=r_1', body }, options);
    await forge.ensureComment(ref, issue, { marker: 'run=r_1', body: `${body} again` }, options);
    await forge.ensureDraft(
      ref,
      { head: 'tadpole/issue-1-x', base: 'main', title: `T ${PLANTED}`, body },
      options,
    );
    const check = { commit: head, name: 'c', conclusion: 'neutral', title: body, summary: body } as const;
    await forge.ensureCheck(ref, check, options);

    const left = JSON.stringify([
      [...place.issues.values()].map(({ comments }) => comments),
      [...place.pulls.values()],
      place.checks,
    ]);
    for (const form of forms) assert.ok(!left.includes(form.replace(/=+$/, '')), form);
    assert.equal(place.issues.get(issue)?.comments.length, 1);
    assert.equal(place.pulls.size, 1);
    assert.equal(place.checks.length, 1);
    assert.match(left, /before \[secret\]/);
  });
});
