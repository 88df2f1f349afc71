import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openToolWorld, type ToolWorld } from '../fakes/tool-world.ts';
import { importsOf, readSources } from '../unit/docs/sources.ts';

const CANARY = 'canary-of-the-worker-7431';
let world: ToolWorld;
let outside: string;

before(async () => {
  world = await openToolWorld();
  outside = await mkdtemp(join(tmpdir(), 'tadpole-canary-'));
  await writeFile(join(outside, 'canary.txt'), CANARY);
  process.env.TADPOLE_CANARY = CANARY;
});
after(async () => {
  delete process.env.TADPOLE_CANARY;
  await rm(outside, { recursive: true, force: true });
  await world.close();
});

describe('src/agent/tools: the worker behind the sandbox (T07)', () => {
  it('reads, writes, edits, lists and runs only what is in the sandbox', async () => {
    const file = join(outside, 'canary.txt');
    await world.shell(`ln -s ${outside} out; ln -s ${file} one; ln -s /proc/self/environ env`);
    const seen = [
      await world.use('Read', { file_path: file }),
      await world.use('Read', { file_path: `../../../../../..${file}` }),
      await world.use('Read', { file_path: 'one' }),
      await world.use('Read', { file_path: 'out/canary.txt' }),
      await world.use('Read', { file_path: '/proc/self/environ' }),
      await world.use('Read', { file_path: `/proc/${process.pid}/environ` }),
      await world.use('Read', { file_path: 'env' }),
      await world.use('Read', { file_path: `~root/${file}` }),
      await world.use('Edit', { file_path: file, old_string: CANARY, new_string: 'x' }),
      await world.use('Glob', { pattern: `${outside}/*` }),
      await world.use('Glob', { pattern: 'out/**' }),
      await world.use('Glob', { pattern: '/**/canary.txt' }),
      await world.use('Bash', { command: `cat ${file} one; env; cat /proc/*/environ; ls ${outside}` }),
    ];
    for (const observation of seen) assert.ok(!observation.includes(CANARY), observation);
    assert.equal(seen[9], 'No files matched.');
    assert.equal(seen[11], 'No files matched.');
    assert.match(seen[4] ?? '', /HOME=\/home\/sandbox/);
  });

  it('leaves the files of the worker alone when it writes to their paths', async () => {
    const { readFile } = await import('node:fs/promises');
    const file = join(outside, 'canary.txt');
    await world.use('Write', { file_path: file, content: 'overwritten' });
    await world.use('Write', { file_path: 'one', content: 'overwritten' });
    await world.use('Bash', { command: `echo overwritten > ${file}` });
    assert.equal(await readFile(file, 'utf8'), CANARY);
  });

  it('has no code that could open a path here: no file system and no processes in all of src/agent', () => {
    const files = readSources('src/agent');
    assert.ok(files.length > 30);
    for (const file of files)
      for (const target of importsOf(file))
        assert.doesNotMatch(target, /^node:(?:fs|child_process|vm|worker_threads|net|http)/, file.path);
  });
});
