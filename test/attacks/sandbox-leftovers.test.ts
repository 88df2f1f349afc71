import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createBubblewrap } from '../../src/sandbox/bubblewrap/bubblewrap.ts';
import {
  type BubblewrapWorld,
  MIB,
  never,
  openBubblewrap,
  openFolder,
  run,
  specFor,
} from '../fakes/sandboxes.ts';

const isRoot = process.getuid?.() === 0;

async function groupsNamed(name: string): Promise<string[]> {
  const all = await readdir('/sys/fs/cgroup', { recursive: true }).catch(() => []);
  return all.filter((path) => path.endsWith(name)).map((path) => join('/sys/fs/cgroup', path));
}

async function readLimits(group: string): Promise<string[]> {
  const files = ['memory.max', 'memory.limit_in_bytes', 'pids.max'].map((file) =>
    readFile(join(group, file), 'utf8').then((value) => value.trim()),
  );
  const settled = await Promise.allSettled(files);
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

describe('src/sandbox/bubblewrap: what is left', () => {
  let world: BubblewrapWorld;
  before(async () => {
    world = await openBubblewrap();
  });
  after(() => world.close());

  it('a hostile tree harms nobody at destroy, and is gone', async () => {
    const outside = await openFolder('tadpole-outside-');
    await mkdir(join(outside, 'kept'));
    await writeFile(join(outside, 'kept', 'file'), 'kept');
    const hostile = await createBubblewrap({ stateDir: world.stateDir }).create(specFor('hostile'), {
      signal: never(),
    });
    const make = [
      `ln -s ${outside} link; ln -s ${outside}/kept kept; ln -s / root; mkdir d; ln -s ../.. d/up`,
      'mkdir -p locked/inner; : > locked/inner/file; chmod 000 locked/inner locked',
      "mkdir -- -rf '*' ; : > \"$(printf 'a\\nb')\"; mkfifo fifo",
      // Deeper than the longest path that the kernel takes.
      `python3 -c 'import os; [(os.mkdir("abcdefghij"), os.chdir("abcdefghij")) for _ in range(1500)]'`,
      `mkdir many; python3 -c 'for i in range(5000): open(f"many/{i}", "w").close()'`,
    ].join('\n');
    assert.equal((await run(hostile, ['/bin/bash', '-c', make])).exitCode, 0);
    await hostile.destroy();
    assert.equal((await readdir(world.stateDir)).includes(hostile.name), false);
    assert.deepEqual(await readdir(join(outside, 'kept')), ['file']);
    await rm(outside, { recursive: true });
  });

  it('has its limits in a control group where there is one, and leaves none', { skip: !isRoot }, async () => {
    const limited = await world.create({ memoryBytes: 100 * MIB, processes: 77 });
    const groups = await groupsNamed(`tadpole-${limited.name}`);
    const values = await Promise.all(groups.map(readLimits));
    if (!world.provider.describe().notLimited[0]?.startsWith('memory'))
      assert.deepEqual(values.flat().sort(), [String(100 * MIB), '80'].sort());
    await limited.destroy();
    assert.deepEqual(await groupsNamed(`tadpole-${limited.name}`), []);
  });
});
