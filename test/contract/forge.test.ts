import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Fault } from '../../src/errors.ts';
import type { Ticket } from '../../src/forge/local/world.ts';
import { PERMISSIONS } from '../../src/forge/types.ts';
import { createForgeWorld, type ForgeWorld, gitIn, POLICY } from '../fakes/forge-world.ts';

const signal = AbortSignal.timeout(120_000);
const options = { signal };

describe('src/forge/types.ts by src/forge/github, against the local forge', () => {
  let world: ForgeWorld;
  before(async () => {
    world = await createForgeWorld();
  });
  after(() => world.close());

  const ticket = (): Ticket => {
    const found = world.place.issues.get(world.issue);
    assert.ok(found);
    return found;
  };
  const newIssue = () => world.local.openIssue('acme/pond', { title: 'Another', body: '', author: 'alice' });

  test('knows itself by login', async () => {
    assert.deepEqual(await world.github.readIdentity(options), { id: 0, login: 'tadpole[bot]', kind: 'bot' });
  });

  test('reads a repository with the head of its default branch', async () => {
    const facts = await world.github.readRepository(world.ref, options);
    assert.deepEqual(facts, {
      ref: world.ref,
      defaultBranch: 'main',
      head: world.head,
      archived: false,
      disabled: false,
      webUrl: `${world.gate.url}/acme/pond`,
    });
    assert.match(world.head, /^[0-9a-f]{40}$/);
  });

  test('finds no repository where another has the name now, or none has', async () => {
    assert.equal(await world.github.readRepository({ ...world.ref, id: 999_999 }, options), null);
    assert.equal(await world.github.readRepository({ ...world.ref, name: 'other' }, options), null);
    assert.equal(await world.github.readRepository({ ...world.ref, installation: 5 }, options), null);
  });

  test('reads an issue with its comments in order, the newest 200 of them', async () => {
    const number = newIssue();
    const found = world.place.issues.get(number);
    const alice = world.local.createUser('alice');
    const times = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-02T00:00:00Z' };
    for (let n = 1; n <= 250; n += 1)
      found?.comments.push({ id: 10_000 + n, author: alice, body: `c${n}`, ...times });
    const issue = await world.github.readIssue(world.ref, number, options);
    assert.equal(issue?.comments.length, 200);
    assert.equal(issue?.commentsOmitted, 50);
    assert.deepEqual([issue?.comments[0]?.body, issue?.comments[199]?.body], ['c51', 'c250']);
    assert.deepEqual(issue?.author, { id: alice.id, login: 'alice', kind: 'user' });
    assert.equal(issue?.isPullRequest, false);
    assert.equal(issue?.webUrl, `${world.gate.url}/acme/pond/issues/${number}`);
    assert.equal(await world.github.readIssue(world.ref, 4_711, options), null);
  });

  test('reads what each role may do, and nothing of strangers', async () => {
    for (const role of PERMISSIONS) {
      world.local.createUser(`has-${role}`);
      world.local.setPermission('acme/pond', `has-${role}`, role);
      assert.equal(await world.github.readPermission(world.ref, `has-${role}`, options), role);
    }
    assert.equal(await world.github.readPermission(world.ref, 'nobody-knows', options), 'none');
  });

  test('reads a file at a commit, and nothing where there is none', async () => {
    const read = (path: string) => world.github.readFile(world.ref, { path, commit: world.head }, options);
    assert.deepEqual(await read('.tadpole.yml'), { kind: 'text', text: POLICY });
    assert.equal(await read('.github/tadpole.yml'), null);
  });

  test('gives git an address without credentials and a header that is a secret', async () => {
    const { url, headers } = await world.github.gitAccess(world.ref, 'read', options);
    assert.equal(url, `${world.gate.url}/acme/pond.git`);
    const [, encoded = ''] = /^Authorization: Basic (\S+)$/.exec(headers[0] ?? '') ?? [];
    const [user, token = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
    assert.equal(user, 'x-access-token');
    assert.equal(world.secrets.redact(`a ${token} b ${encoded} c`), 'a [secret] b [secret] c');
  });

  test('mints a new token for every git process, for this repository and this use alone', async () => {
    const grants = [];
    for (const access of ['read', 'read', 'write'] as const) {
      const seen = new Set(world.local.world.tokens.keys());
      const { headers } = await world.github.gitAccess(world.ref, access, options);
      const token = Buffer.from(headers[0]?.split(' ')[2] ?? '', 'base64')
        .toString('utf8')
        .slice('x-access-token:'.length);
      assert.ok(!seen.has(token));
      grants.push(world.local.world.tokens.get(token));
    }
    const repositories = new Set([world.place.id]);
    const granted = grants.map((grant) => ({
      permissions: grant?.permissions,
      repositories: grant?.repositories,
    }));
    const fetching = { permissions: { contents: 'read', metadata: 'read' }, repositories };
    assert.deepEqual(granted, [
      fetching,
      fetching,
      { permissions: { contents: 'write', metadata: 'read' }, repositories },
    ]);
  });

  test('makes one comment by its marker, and edits it only when it differs', async () => {
    const number = newIssue();
    const ensure = (body: string) =>
      world.github.ensureComment(world.ref, number, { marker: 'run=r_1', body }, options);
    const { webUrl } = await ensure('one');
    assert.match(webUrl, new RegExp(`^${world.gate.url}/acme/pond/issues/${number}#issuecomment-\\d+$`));
    const comments = world.place.issues.get(number)?.comments ?? [];
    const editedAt = comments[0]?.updatedAt;
    await ensure('one');
    assert.equal(comments[0]?.updatedAt, editedAt);
    await ensure('two');
    assert.deepEqual(
      comments.map(({ body }) => body),
      ['two\n\n<!-- tadpole:run=r_1 -->'],
    );
  });

  test('finds its comment again after a restart, behind those of others who copied the marker', async () => {
    const number = newIssue();
    const { createGitHub } = await import('../../src/forge/github/github.ts');
    const comment = { marker: 'run=r_2', body: 'status' };
    const found = world.place.issues.get(number);
    const fake = {
      author: world.local.createUser('eve'),
      createdAt: '2026-01-01T00:00:00Z',
      updatedAt: '2026-01-01T00:00:00Z',
    };
    for (let n = 0; n < 120; n += 1)
      found?.comments.push({ id: 20_000 + n, body: 'mine\n\n<!-- tadpole:run=r_2 -->', ...fake });
    for (let n = 0; n < 3; n += 1)
      await createGitHub(world.options).ensureComment(
        world.ref,
        number,
        { ...comment, body: `try ${n}` },
        options,
      );
    const ours = found?.comments.filter(({ author }) => author.kind === 'Bot') ?? [];
    assert.deepEqual(
      ours.map(({ body }) => body),
      ['try 2\n\n<!-- tadpole:run=r_2 -->'],
    );
    assert.ok(found?.comments.slice(0, 120).every(({ body }) => body.startsWith('mine')));
  });

  test('writes a new comment when its own was deleted meanwhile', async () => {
    const number = newIssue();
    const ensure = (body: string) =>
      world.github.ensureComment(world.ref, number, { marker: 'run=r_3', body }, options);
    await ensure('one');
    world.place.issues.get(number)?.comments.splice(0);
    await ensure('two');
    assert.equal(world.place.issues.get(number)?.comments.length, 1);
  });

  test('takes a label off, once or twice; a label that would climb in the address is refused', async () => {
    ticket().labels.add('tadpole').add('bug');
    await world.github.ensureLabelRemoved(world.ref, world.issue, 'tadpole', options);
    await world.github.ensureLabelRemoved(world.ref, world.issue, 'tadpole', options);
    for (const label of ['..', '.', '', '../..'])
      await assert.rejects(
        world.github.ensureLabelRemoved(world.ref, world.issue, label, options),
        isFault('forge_answer_invalid'),
      );
    assert.deepEqual([...ticket().labels], ['bug']);
  });

  test('opens one draft for head and base, and keeps its text up to date', async () => {
    await gitIn(['branch', 'tadpole/issue-1-a', 'main'], { cwd: world.place.folder, home: '/' });
    const draft = { head: 'tadpole/issue-1-a', base: 'main', title: 'Swim', body: 'text' };
    const first = await world.github.ensureDraft(world.ref, draft, options);
    const second = await world.github.ensureDraft(world.ref, { ...draft, title: 'Swim again' }, options);
    assert.deepEqual(second, { ...first, created: false });
    assert.equal(first.created, true);
    const pulls = [...world.place.pulls.values()];
    assert.deepEqual(
      pulls.map(({ draft: isDraft, title, head, base }) => ({ isDraft, title, head, base })),
      [{ isDraft: true, title: 'Swim again', head: draft.head, base: 'main' }],
    );
    assert.equal(first.webUrl, `${world.gate.url}/acme/pond/pull/${first.number}`);
  });

  test('tells why a draft was refused', async () => {
    const draft = { head: 'tadpole/never-pushed', base: 'main', title: 'x', body: '' };
    await assert.rejects(world.github.ensureDraft(world.ref, draft, options), (thrown: unknown) => {
      assert.ok(thrown instanceof Fault);
      assert.equal(thrown.code, 'forge_answer_invalid');
      assert.match(thrown.detail, /Validation Failed/);
      return true;
    });
  });

  test('keeps one check run of its name on a commit, and leaves those of other apps alone', async () => {
    const check = {
      commit: world.head,
      name: 'Tadpole',
      conclusion: 'success',
      title: 'fixed',
      summary: 's',
    } as const;
    await world.github.ensureCheck(world.ref, check, options);
    await world.github.ensureCheck(world.ref, check, options);
    await world.github.ensureCheck(world.ref, { ...check, conclusion: 'neutral' }, options);
    assert.deepEqual(
      world.place.checks.map(({ conclusion }) => conclusion),
      ['neutral'],
    );
    const edits = world.gate.requests.filter(
      ({ method, path }) => method === 'PATCH' && path.includes('/check-runs/'),
    );
    assert.equal(edits.length, 1);
  });

  test('has been granted all that it needs', async () => {
    assert.deepEqual(await world.github.readMissingPermissions(world.ref, options), []);
  });

  test('ends at once with the reason of the signal', async () => {
    const reason = new Error('enough');
    const aborted = { signal: AbortSignal.abort(reason) };
    await assert.rejects(
      world.github.readIssue(world.ref, world.issue, aborted),
      (thrown) => thrown === reason,
    );
  });
});

function isFault(code: string) {
  return (thrown: unknown) => thrown instanceof Fault && thrown.code === code;
}
