import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createArtifacts, type FolderArtifacts } from '../../../src/store/artifacts.ts';

describe('src/store/artifacts.ts', () => {
  let dir: string;
  let artifacts: FolderArtifacts;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tadpole-artifacts-'));
    artifacts = createArtifacts({ dir });
  });
  after(() => rm(dir, { recursive: true }));

  const bytesOf = (key: string) => artifacts.read(key, { maxBytes: 1_000_000 });

  it('gives back what was put, with its length and hash', async () => {
    const content = Buffer.from([0, 255, 10, 13, 0]);
    const { bytes, sha256 } = await artifacts.put('runs/r_1/base.pack', content);
    assert.equal(bytes, 5);
    assert.equal(sha256, createHash('sha256').update(content).digest('hex'));
    assert.deepEqual(Buffer.from(await bytesOf('runs/r_1/base.pack')), content);
  });

  it('replaces an artifact as a whole', async () => {
    await artifacts.put('runs/r_1/transcript.json', Buffer.from('long old content'));
    await artifacts.put('runs/r_1/transcript.json', Buffer.from('new'));
    assert.equal(Buffer.from(await bytesOf('runs/r_1/transcript.json')).toString(), 'new');
  });

  it('keeps the old content and leaves nothing behind when the source fails half-way', async () => {
    await artifacts.put('runs/r_2/report.xml', Buffer.from('old'));
    const failing = async function* () {
      yield Buffer.from('half');
      throw new Error('source broke');
    };
    await assert.rejects(artifacts.put('runs/r_2/report.xml', failing()), /source broke/);
    assert.equal(Buffer.from(await bytesOf('runs/r_2/report.xml')).toString(), 'old');
    assert.deepEqual(await readdir(join(dir, 'runs/r_2')), ['report.xml']);
  });

  it('shows a reader nothing before the writer is through', async () => {
    const halfWritten = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const slow = async function* () {
      yield Buffer.from('first ');
      halfWritten.resolve();
      await goOn.promise;
      yield Buffer.from('second');
    };
    const put = artifacts.put('runs/r_3/slow', slow());
    await halfWritten.promise;
    await assert.rejects(artifacts.open('runs/r_3/slow'), { code: 'artifact_missing' });
    goOn.resolve();
    await put;
    assert.equal(Buffer.from(await bytesOf('runs/r_3/slow')).toString(), 'first second');
  });

  it('streams 200 MB in and out with flat memory', async () => {
    const chunk = Buffer.alloc(1_000_000, 7);
    let peak = 0;
    const before = process.memoryUsage.rss();
    const look = () => {
      peak = Math.max(peak, process.memoryUsage.rss());
    };
    const source = async function* () {
      for (let i = 0; i < 200; i += 1) {
        look();
        yield chunk;
      }
    };
    await artifacts.put('runs/r_4/large.pack', source());
    let bytes = 0;
    for await (const part of await artifacts.open('runs/r_4/large.pack')) {
      bytes += part.length;
      look();
    }
    assert.equal(bytes, 200_000_000);
    assert.ok(peak - before < 100_000_000, `${peak - before} bytes more`);
    await artifacts.removeRun('r_4');
  });

  it('refuses keys that are not ours', async () => {
    const keys = [
      '../x',
      'runs/../../x',
      'runs/r_1/../r_2/x',
      '/etc/passwd',
      'runs/r_1/.hidden',
      'runs/r_1/a/b',
      'runs/r_1/',
      'runs//x',
      'runs/r_1/a\0b',
      'runs/r_1/a\nb',
      `runs/r_1/${'x'.repeat(200)}`,
    ];
    for (const key of keys) {
      await assert.rejects(artifacts.put(key, Buffer.from('x')), { code: 'internal' }, key);
      await assert.rejects(artifacts.open(key), { code: 'internal' }, key);
    }
    await assert.rejects(artifacts.removeRun('..'), { code: 'internal' });
  });

  it('follows no symlink out of the folder', async () => {
    await artifacts.put('runs/r_5/real', Buffer.from('x'));
    const secret = join(dir, 'secret');
    await writeFile(secret, 'secret');
    await symlink(secret, join(dir, 'runs/r_5/link'));
    await assert.rejects(artifacts.open('runs/r_5/link'), { code: 'artifact_missing' });
    await artifacts.put('runs/r_5/link', Buffer.from('mine'));
    assert.equal(await readFile(secret, 'utf8'), 'secret');
  });

  it('reads no more than it may', async () => {
    await artifacts.put('runs/r_6/x', Buffer.alloc(11));
    await assert.rejects(artifacts.read('runs/r_6/x', { maxBytes: 10 }), { code: 'internal' });
  });

  it('removes a run with everything of it, also twice', async () => {
    await artifacts.put('runs/r_7/x', Buffer.from('x'));
    await artifacts.removeRun('r_7');
    await artifacts.removeRun('r_7');
    await assert.rejects(artifacts.open('runs/r_7/x'), { code: 'artifact_missing' });
  });
});
