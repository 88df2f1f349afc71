import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { canUse, controlGroupsIn } from '../../../../../src/sandbox/bubblewrap/host/control-group.ts';

/** Plain folders have no files that appear by themselves, as those of the kernel do: version 2's are laid out first. */
describe('src/sandbox/bubblewrap/host/control-group.ts', () => {
  let top = '';
  before(async () => {
    top = await mkdtemp(join(tmpdir(), 'tadpole-cgroup-'));
  });
  after(() => rm(top, { recursive: true }));

  it('is not usable where the kernel makes no group', async () => {
    assert.equal(await canUse(controlGroupsIn({ kind: 'v2', memory: top, pids: top }), 'trial'), false);
    await rm(join(top, 'tadpole-trial'), { recursive: true, force: true });
    assert.equal(
      await canUse(controlGroupsIn({ kind: 'v1', memory: join(top, 'none'), pids: null }), 'x'),
      false,
    );
  });

  it('removes a group that is not there without a word', async () => {
    await controlGroupsIn({ kind: 'v2', memory: top, pids: top }).remove('none');
  });

  it('never makes a limit file that the kernel did not', async () => {
    const place = controlGroupsIn({ kind: 'v2', memory: top, pids: top });
    await assert.rejects(place.create('plain', { memoryBytes: 5, processes: 7 }), { code: 'ENOENT' });
    await assert.rejects(readFile(join(top, 'tadpole-plain', 'memory.max')), { code: 'ENOENT' });
    await rm(join(top, 'tadpole-plain'), { recursive: true });
  });

  it('refuses to take over a group that exists', async () => {
    await mkdir(join(top, 'tadpole-taken'));
    await writeFile(join(top, 'tadpole-taken', 'memory.max'), '');
    const place = controlGroupsIn({ kind: 'v2', memory: top, pids: top });
    await assert.rejects(place.create('taken', { memoryBytes: 5, processes: 7 }), { code: 'EEXIST' });
  });
});
