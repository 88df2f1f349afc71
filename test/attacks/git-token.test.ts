import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { prepare } from '../../src/run/prepare.ts';
import type { Gate } from '../fakes/git-server.ts';
import { basic, createWorld } from '../fakes/git-world.ts';
import { makePublishable } from '../fakes/publishable.ts';

/** A forge whose tokens are known only from their n-th use on, or never; counted by token. */
function tokenGate(accepts: (token: string, use: number) => boolean): Gate {
  const uses = new Map<string, number>();
  return ({ headers }) => {
    const token = headers.authorization ?? '';
    const use = (uses.get(token) ?? 0) + 1;
    uses.set(token, use);
    return accepts(token, use) ? null : { status: 401 };
  };
}

const headerOf = (token: string) => basic(token).split(': ')[1];

describe('src/mirror/fresh-access.ts: tokens that are not known yet, or not any more (B08, B09)', () => {
  it('a token refused at first is tried again until the forge knows it', async (t) => {
    const world = await createWorld({
      gate: tokenGate((token, use) => token === headerOf('token-number-2') && use > 3),
    });
    t.after(() => world.close());
    world.forge.tokenOf = (n) => `token-number-${n}`;
    const prepared = await world.prepared({ 'a.txt': 'one\n' });
    assert.equal(prepared.files, 1);
    assert.deepEqual(world.forge.minted, ['read', 'read']);
  });

  it('a token that died on the way is minted anew once, for the fetch and for the push', async (t) => {
    const dead = new Set([headerOf('token-number-1'), headerOf('token-number-3')]);
    const world = await createWorld({ gate: tokenGate((token) => !dead.has(token)) });
    t.after(() => world.close());
    world.forge.tokenOf = (n) => `token-number-${n}`;
    const publication = await (await makePublishable(world)).publish();
    assert.equal(publication.kind, 'published');
    assert.deepEqual(world.forge.minted, ['read', 'read', 'write', 'write']);
  });

  it('a token that is never accepted ends in forge_unauthorized, without a prompt, after a bounded number of tries', async (t) => {
    const world = await createWorld({ gate: tokenGate(() => false) });
    t.after(() => world.close());
    await assert.rejects(world.prepared({ 'a.txt': 'one\n' }), {
      code: 'forge_unauthorized',
      retryable: false,
    });
    assert.deepEqual(world.forge.minted, ['read', 'read']);
    assert.ok(world.server.requests.length <= 5);
  });

  it('not permitted is told apart from not valid, and not tried again', async (t) => {
    const world = await createWorld({ gate: () => ({ status: 403 }) });
    t.after(() => world.close());
    await assert.rejects(world.prepared({ 'a.txt': 'one\n' }), { code: 'forge_forbidden' });
    assert.deepEqual(world.forge.minted, ['read']);
  });

  it('a forge that is down is a fault that may be tried again; a wrong answer to a cancelled run is none', async (t) => {
    const world = await createWorld({ gate: () => ({ status: 503 }) });
    t.after(() => world.close());
    await assert.rejects(world.prepared({ 'a.txt': 'one\n' }), {
      code: 'forge_unavailable',
      retryable: true,
    });
    const commit = await world.upstream.commit({ a: '2' });
    const cancelled = AbortSignal.abort(new Error('cancelled'));
    await assert.rejects(prepare(world.deps, world.run({ commit }), { signal: cancelled }), /cancelled/);
  });
});

describe('src/git.ts: a private certificate authority (B07)', () => {
  it('one setting makes fetch and push work; without it the fault names host and setting', async (t) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'tadpole-ca-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const tls = await makeCertificates(folder);
    const trusting = await createWorld({ tls, git: { caFile: path.join(folder, 'ca.pem') } });
    t.after(() => trusting.close());
    const { publish } = await makePublishable(trusting);
    assert.equal((await publish()).kind, 'published');

    // The file adds to the system's folder: here the forge's authority is the system's, and the file is another's.
    const system = path.join(folder, 'system');
    await mkdir(system);
    const { stdout: hash } = await promisify(execFile)(
      'openssl',
      ['x509', '-hash', '-noout', '-in', 'ca.pem'],
      { cwd: folder },
    );
    await copyFile(path.join(folder, 'ca.pem'), path.join(system, `${hash.trim()}.0`));
    const elsewhere = await mkdtemp(path.join(folder, 'other-'));
    await makeCertificates(elsewhere);
    const beside = await createWorld({
      tls,
      git: { caFile: path.join(elsewhere, 'ca.pem'), caFolder: system },
    });
    t.after(() => beside.close());
    assert.equal((await beside.prepared({ 'a.txt': 'one\n' })).files, 1);

    const strict = await createWorld({ tls });
    t.after(() => strict.close());
    await assert.rejects(
      strict.prepared({ 'a.txt': 'one\n' }),
      (thrown: Error & { code: string; retryable: boolean }) => {
        assert.equal(thrown.code, 'git_failed');
        assert.equal(thrown.retryable, false);
        assert.match(thrown.message, /localhost/);
        assert.match(thrown.message, /TADPOLE_CA_FILE/);
        return true;
      },
    );
  });

  it('plain http is refused unless the host is named', async (t) => {
    const world = await createWorld({ git: { plainHttpHosts: ['forge.corp.test'] } });
    t.after(() => world.close());
    await assert.rejects(world.prepared({ 'a.txt': 'one\n' }), { code: 'config_invalid' });
    assert.deepEqual(world.server.requests, []);
  });
});

/** An authority and a certificate of it for localhost. */
async function makeCertificates(folder: string): Promise<{ key: string; cert: string }> {
  const openssl = (...args: string[]) => promisify(execFile)('openssl', args, { cwd: folder });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  await openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-subj',
    '/CN=Test CA',
    '-days',
    '2',
  );
  await openssl('req', ...newKey, '-keyout', 'host.key', '-out', 'host.csr', '-subj', '/CN=localhost');
  await writeFile(path.join(folder, 'ext'), 'subjectAltName=DNS:localhost\n');
  await openssl(
    'x509',
    '-req',
    '-in',
    'host.csr',
    '-CA',
    'ca.pem',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-out',
    'host.pem',
    '-days',
    '2',
    '-extfile',
    'ext',
  );
  const read = (name: string) => readFile(path.join(folder, name), 'utf8');
  return { key: await read('host.key'), cert: await read('host.pem') };
}
