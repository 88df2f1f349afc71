import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { Fault } from '../../src/errors.ts';
import { createGitHub } from '../../src/forge/github/github.ts';
import { by, type GateRequest } from '../fakes/forge-gate.ts';
import { createForgeWorld, type ForgeWorld, gitIn } from '../fakes/forge-world.ts';

const options = { signal: AbortSignal.timeout(120_000) };

describe('src/forge/github and the one host that it talks to', () => {
  let world: ForgeWorld;
  /** Another host, which must never hear of us. */
  const heard: string[] = [];
  const sink = createServer((request, response) => {
    heard.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`);
    response.end('{}');
  });
  let sinkUrl = '';

  before(async () => {
    world = await createForgeWorld();
    await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
    sinkUrl = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`;
  });
  after(async () => {
    await world.close();
    await new Promise((resolve) => sink.close(resolve));
  });
  beforeEach(() => {
    world.gate.rule = () => 'pass';
    world.gate.requests.length = 0;
  });

  /** Every operation of the port once; resolves to every address that came out. */
  async function everything(): Promise<readonly string[]> {
    const { ref, head, issue } = world;
    const forge = createGitHub(world.options);
    const branch = `tadpole/all-${world.place.pulls.size}`;
    await gitIn(['branch', branch, 'main'], { cwd: world.place.folder, home: '/' });
    await forge.readIdentity(options);
    await forge.readMissingPermissions(ref, options);
    await forge.readPermission(ref, 'alice', options);
    await forge.readFile(ref, { path: '.tadpole.yml', commit: head }, options);
    await forge.ensureLabelRemoved(ref, issue, 'tadpole', options);
    await forge.ensureCheck(
      ref,
      { commit: head, name: 'T', conclusion: 'success', title: 't', summary: 's' },
      options,
    );
    const repository = await forge.readRepository(ref, options);
    const read = await forge.readIssue(ref, issue, options);
    const comment = await forge.ensureComment(ref, issue, { marker: 'm', body: 'b' }, options);
    const draft = await forge.ensureDraft(
      ref,
      { head: branch, base: 'main', title: 't', body: 'b' },
      options,
    );
    const git = await forge.gitAccess(ref, 'write', options);
    return [repository?.webUrl ?? '', read?.webUrl ?? '', comment.webUrl, draft.webUrl, git.url];
  }

  test('sends every request to the configured host and port below its prefix, and links there (B06)', async () => {
    const addresses = await everything();
    const { host } = new URL(world.gate.url);
    assert.ok(world.gate.requests.length > 15);
    for (const request of world.gate.requests) {
      assert.equal(request.host, host);
      assert.match(request.path, /^\/api\/v3\//);
    }
    for (const address of addresses) assert.ok(address.startsWith(`${world.gate.url}/acme/pond`), address);
  });

  test('needs no rate limits: none is asked for, and no header is missed (B06)', async () => {
    await everything();
    assert.deepEqual(
      world.gate.requests.filter(({ path }) => path.includes('rate_limit')),
      [],
    );
  });

  test('goes nowhere that an answer points to: addresses in bodies and hostile Link headers (T37)', async () => {
    const foreign = {
      clone_url: `${sinkUrl}/x.git`,
      url: `${sinkUrl}/api`,
      html_url: sinkUrl,
      avatar_url: `${sinkUrl}/a.png`,
    };
    const user = { id: 1, login: 'alice', type: 'User', ...foreign };
    const times = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' };
    const headers = {
      link: `<${sinkUrl}/next?page=2>; rel="next", <${sinkUrl}/d>; rel="deprecation"`,
      deprecation: 'true',
    };
    world.gate.rule = (request) => {
      if (by('GET', /issues\/\d+$/)(request))
        return {
          status: 200,
          headers,
          body: { number: world.issue, title: 't', state: 'open', comments: 1, user, ...times, ...foreign },
        };
      if (by('GET', /comments\?/)(request))
        return { status: 200, headers, body: [{ id: 1, body: 'b', user, ...times, ...foreign }] };
      if (by('GET', /pond$/)(request))
        return {
          status: 200,
          headers,
          body: { id: world.place.id, name: 'pond', owner: user, default_branch: 'main', ...foreign },
        };
      return 'pass';
    };
    const forge = createGitHub(world.options);
    const issue = await forge.readIssue(world.ref, world.issue, options);
    const repository = await forge.readRepository(world.ref, options);
    assert.equal(issue?.webUrl, `${world.gate.url}/acme/pond/issues/${world.issue}`);
    assert.equal(repository?.webUrl, `${world.gate.url}/alice/pond`);
    assert.deepEqual(heard, []);
  });

  for (const status of [301, 302, 307, 308])
    test(`does not follow a ${status} to another host, with or without a token (T37)`, async () => {
      world.gate.rule = (request) =>
        request.path.endsWith('access_tokens')
          ? 'pass'
          : { status, headers: { location: `${sinkUrl}${request.path}` } };
      const forge = createGitHub(world.options);
      assert.equal(await forge.readRepository(world.ref, options), null);
      assert.equal(await forge.readIssue(world.ref, world.issue, options), null);
      await assert.rejects(
        forge.ensureComment(world.ref, world.issue, { marker: `m${status}`, body: 'b' }, options),
        Fault,
      );
      await assert.rejects(forge.gitAccess(world.ref, 'write', options), Fault);
      world.gate.rule = () => ({ status, headers: { location: `${sinkUrl}/app` } });
      await assert.rejects(createGitHub(world.options).readIdentity(options), Fault);
      assert.deepEqual(heard, []);
    });

  test('refuses names that would leave their place in the address', async () => {
    for (const name of ['..', '.', '', 'a/../../b'])
      await assert.rejects(world.github.readRepository({ ...world.ref, name }, options), Fault);
    assert.deepEqual(world.gate.requests, []);
  });

  describe('when the repository was renamed', () => {
    const number = () => `/api/v3/repositories/${world.place.id}`;
    /** GitHub's way: the old name redirects to the number, and the number answers. */
    const renamed = (status: number) => (request: GateRequest) => {
      if (/^\/api\/v3\/repos\/acme\/old(?:\/|$)/.test(request.path))
        return { status, headers: { location: request.path.replace('/api/v3/repos/acme/old', number()) } };
      return 'pass' as const;
    };

    test('reads and writes go on by its number, and git by its new name', async () => {
      const forge = createGitHub(world.options);
      const ref = { ...world.ref, name: 'old' };
      const seen: string[] = [];
      const redirect = renamed(307);
      world.gate.rule = (request) => {
        if (request.path.startsWith(number())) seen.push(request.method);
        if (by('GET', new RegExp(`^${number()}$`))(request))
          return {
            status: 200,
            body: { id: world.place.id, name: 'pond', owner: { login: 'acme' }, default_branch: 'main' },
          };
        if (by('GET', /repositories\/\d+\/git\/ref/)(request))
          return { status: 200, body: { object: { sha: world.head } } };
        if (by('GET', /repositories\/\d+\/issues\/\d+\/comments/)(request)) return { status: 200, body: [] };
        if (by('POST', /repositories\/\d+\/issues\/\d+\/comments/)(request))
          return { status: 201, body: { id: 9, user: null, created_at: '', updated_at: '' } };
        return redirect(request);
      };
      assert.equal((await forge.readRepository(ref, options))?.ref.name, 'pond');
      assert.equal((await forge.gitAccess(ref, 'read', options)).url, `${world.gate.url}/acme/pond.git`);
      await forge.ensureComment(ref, world.issue, { marker: 'renamed', body: 'b' }, options);
      assert.deepEqual(new Set(seen), new Set(['GET', 'POST']));
    });

    test('an issue that moved to another repository is gone', async () => {
      world.gate.rule = (request) =>
        by('GET', /issues\/\d+$/)(request)
          ? { status: 301, headers: { location: `${world.gate.url}/api/v3/repositories/4711/issues/1` } }
          : 'pass';
      assert.equal(await createGitHub(world.options).readIssue(world.ref, world.issue, options), null);
      assert.equal(
        world.gate.requests.some(({ path }) => path.includes('4711')),
        false,
      );
    });
  });
});

describe('src/forge/github with a private certificate authority', () => {
  let folder = '';
  let world: ForgeWorld;
  let cert = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tadpole-ca-'));
    const file = (name: string) => join(folder, name);
    const how = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
    const names = ['-addext', 'subjectAltName=DNS:localhost'];
    execFileSync('openssl', [...how, ...names, '-keyout', file('key'), '-out', file('cert')], {
      stdio: 'ignore',
    });
    cert = await readFile(file('cert'), 'utf8');
    world = await createForgeWorld({ tls: { key: await readFile(file('key'), 'utf8'), cert }, ca: cert });
  });
  after(async () => {
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('trusts it beside the others (B07)', async () => {
    assert.equal((await world.github.readIdentity(options)).login, 'tadpole[bot]');
  });

  test('names host and setting when it is not trusted, and never goes on without checking (B07)', async () => {
    const untrusting = createGitHub({ ...world.options, ca: null });
    await assert.rejects(untrusting.readIdentity(options), (thrown: unknown) => {
      assert.ok(thrown instanceof Fault && thrown.code === 'forge_unavailable');
      assert.match(thrown.detail, /localhost:\d+.*certificate is not trusted.*TADPOLE_CA_FILE/);
      return true;
    });
  });
});
