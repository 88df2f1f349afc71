import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { prepare } from '../../src/run/prepare.ts';
import { publish } from '../../src/run/publish.ts';
import type { Run } from '../../src/store/types.ts';
import { createGitShim } from '../fakes/git-shim.ts';
import { createWorld } from '../fakes/git-world.ts';
import { SHELL_NAMES } from '../fixtures/names.ts';

/** A world whose git logs each of its calls. */
async function loggedWorld(t: { after(body: () => Promise<void>): void }) {
  const shim = await createGitShim();
  const world = await createWorld({ git: { path: `${shim.bin}:${process.env.PATH}` } });
  t.after(async () => {
    await world.close();
    await shim.remove();
  });
  return { world, calls: shim.calls };
}

describe('src/run/prepare.ts: hostile names (T13)', () => {
  it('a base branch of any name reaches no shell and no option parser', async (t) => {
    const { world, calls } = await loggedWorld(t);
    const commit = await world.upstream.commit({ 'a.txt': 'one\n' });
    for (const branch of [
      ...SHELL_NAMES,
      '--upload-pack=touch SENTINEL',
      '-u',
      '../../x',
      'refs/heads/x:y',
    ]) {
      const prepared = await prepare(world.deps, world.run({ branch, commit }), world);
      assert.equal(prepared.base.branch, branch);
    }
    const argvs = (await calls()).map(({ argv }) => argv.join('\n'));
    assert.ok(argvs.every((argv) => !argv.includes('SENTINEL')));
    for (const { argv } of await calls())
      for (const word of ['ls-tree', 'rev-list', 'fetch', 'rev-parse'])
        if (argv.includes(word)) assert.ok(argv.includes('--end-of-options'), argv.join(' '));
  });

  it('file names of any kind go through the whole way as single names', async (t) => {
    const { world, calls } = await loggedWorld(t);
    const prepared = await world.prepared(
      Object.fromEntries(SHELL_NAMES.map((name) => [`d/${name}`, 'one\n'])),
    );
    const sandbox = await world.filled(prepared);
    await sandbox.sh('for f in d/*; do echo two > "$f"; done');
    const change = await world.collect(sandbox, prepared);
    assert.equal(change.kind, 'changed');
    assert.deepEqual(
      change.files.map(({ path: name }) => name).sort(),
      SHELL_NAMES.map((name) => `d/${name}`).sort(),
    );
    const run = { ...world.run(prepared.base), prepared, worked: { change } } as unknown as Run;
    const sender = { id: 8, login: 'eve\n<x>$(touch SENTINEL)', kind: 'user' };
    const held = {
      run: { ...run, trigger: { ...run.trigger, sender } } as Run,
      fence: async () => {},
      recordEffect: async () => {},
    };
    const title = '$(touch SENTINEL)\n\nCo-authored-by: root <root@x>\u202e';
    const publication = await publish(world.deps, { held, texts: { title, body: '' } }, world);
    assert.equal(publication.kind, 'published');
    const message = await world.upstream.git(
      ['log', '-1', '--format=%B', publication.published.commit],
      world.upstream.bare,
    );
    assert.deepEqual(message.match(/^Co-authored-by:.*$/gm), [
      'Co-authored-by: evextouchSENTINEL <8+evextouchSENTINEL@users.noreply.git.corp.test>',
    ]);
    for (const { argv } of await calls()) assert.ok(argv.every((arg) => !arg.includes('SENTINEL')));
    const files = await readdir(world.folder, { recursive: true });
    assert.ok(!files.some((name) => name.endsWith('SENTINEL')));
    assert.ok(!existsSync('SENTINEL'));
  });
});
