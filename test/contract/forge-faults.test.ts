import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { Fault, type FaultCode } from '../../src/errors.ts';
import { assertLeastPermissions } from '../../src/forge/github/app-permissions.ts';
import { createGitHub } from '../../src/forge/github/github.ts';
import { by, first, type GateRequest, type Verdict } from '../fakes/forge-gate.ts';
import { createForgeWorld, type ForgeWorld, gitIn } from '../fakes/forge-world.ts';

const options = { signal: AbortSignal.timeout(240_000) };
const MINT = by('POST', /access_tokens$/);
const ISSUE = by('GET', /issues\/\d+$/);
const COMMENT = by('POST', /comments$/);
const PULLS = by('POST', /pulls$/);

function isFault(code: FaultCode, pattern = /./) {
  return (thrown: unknown) => {
    assert.ok(thrown instanceof Fault, String(thrown));
    assert.equal(thrown.code, code);
    assert.match(thrown.detail, pattern);
    return true;
  };
}

describe('src/forge/github under faults of the forge', () => {
  let world: ForgeWorld;
  before(async () => {
    world = await createForgeWorld({ timeoutMs: 1_000 });
  });
  after(() => world.close());
  beforeEach(() => {
    world.gate.rule = () => 'pass';
    world.gate.requests.length = 0;
    world.pauses.length = 0;
  });

  /** A process of its own each time: no token in hand, no comment known. */
  const github = () => createGitHub(world.options);
  const readIssue = () => github().readIssue(world.ref, world.issue, options);
  const count = (matches: (request: GateRequest) => boolean) => world.gate.requests.filter(matches).length;

  test('renews an expired token once and goes on (B08)', async () => {
    const forge = github();
    await forge.readIssue(world.ref, world.issue, options);
    for (const [value, token] of world.local.world.tokens)
      world.local.world.tokens.set(value, { ...token, expiresAt: 0 });
    assert.ok(await forge.readIssue(world.ref, world.issue, options));
    assert.equal(count(MINT), 2);
  });

  test('renews for each of many calls that meet the same expired token', async () => {
    const forge = github();
    await forge.readIssue(world.ref, world.issue, options);
    for (const [value, token] of world.local.world.tokens)
      world.local.world.tokens.set(value, { ...token, expiresAt: 0 });
    const issues = await Promise.all(
      Array.from({ length: 8 }, () => forge.readIssue(world.ref, world.issue, options)),
    );
    assert.ok(issues.every((issue) => issue !== null));
  });

  test('waits for a new token to become known, without minting more and more (B09)', async () => {
    world.gate.rule = first(ISSUE, { status: 401, body: { message: 'Bad credentials' } }, 4);
    assert.ok(await readIssue());
    assert.equal(count(MINT), 2);
    assert.deepEqual(world.pauses, [0, 1_000, 2_000, 4_000]);
  });

  test('takes a first 403 for a token that is not known yet (B09)', async () => {
    world.gate.rule = first(ISSUE, {
      status: 403,
      body: { message: 'Resource not accessible by integration' },
    });
    assert.ok(await readIssue());
  });

  test('tells refused tokens, a refused key and a missing permission apart (B09)', async () => {
    world.gate.rule = first(ISSUE, { status: 401 }, 99);
    await assert.rejects(readIssue(), isFault('forge_unauthorized', /token that it has just minted/));
    world.gate.rule = first(MINT, { status: 401 }, 99);
    await assert.rejects(readIssue(), isFault('forge_unauthorized', /GITHUB_PRIVATE_KEY/));
    world.gate.rule = first(ISSUE, { status: 403 }, 99);
    await assert.rejects(readIssue(), isFault('forge_forbidden'));
  });

  test('names the permission that has to be accepted: from the header, and from a refused token (B12)', async () => {
    const headers = { 'x-accepted-github-permissions': 'pull_requests=write' };
    const draft = { head: 'x', base: 'main', title: 't', body: '' };
    world.gate.rule = first(
      PULLS,
      { status: 403, headers, body: { message: 'Resource not accessible by integration' } },
      9,
    );
    await assert.rejects(github().ensureDraft(world.ref, draft, options), (thrown: unknown) => {
      assert.ok(thrown instanceof Fault && thrown.code === 'forge_forbidden');
      assert.match(thrown.publicText, /accept for Tadpole's installation: pull_requests: write/);
      return true;
    });
    const granted = { permissions: { metadata: 'read', contents: 'write', issues: 'write', checks: 'read' } };
    const INSTALLATION = by('GET', /pond\/installation$/);
    world.gate.rule = (request) => {
      if (INSTALLATION(request)) return { status: 200, body: granted };
      return MINT(request) && /pull_requests/.test(request.body)
        ? { status: 422, body: { message: 'not granted' } }
        : 'pass';
    };
    await assert.rejects(
      github().ensureDraft(world.ref, draft, options),
      isFault('forge_forbidden', /to be accepted for the installation: pull_requests: write$/),
    );
    assert.deepEqual(await github().readMissingPermissions(world.ref, options), [
      'checks: write',
      'pull_requests: write',
    ]);
  });

  test('takes a repository that left the installation for gone', async () => {
    world.gate.rule = (request) =>
      MINT(request) ? { status: 422 } : by('GET', /installation$/)(request) ? { status: 404 } : 'pass';
    assert.equal(await readIssue(), null);
  });

  const inSeconds = (seconds: number) => String(Math.floor(Date.now() / 1_000) + seconds);
  const limits: readonly (readonly [string, Exclude<Verdict, string>, number])[] = [
    ['403 with Retry-After', { status: 403, headers: { 'retry-after': '7' } }, 7_000],
    ['429 without a word', { status: 429 }, 60_000],
    [
      '403 that only says so',
      { status: 403, body: { message: 'You have exceeded a secondary rate limit' } },
      60_000,
    ],
    [
      '403 that links to its page',
      {
        status: 403,
        body: {
          message: 'Slow down.',
          documentation_url: 'https://docs.github.com/rest/overview/rate-limits',
        },
      },
      60_000,
    ],
    [
      '422 for abuse',
      {
        status: 422,
        body: { message: 'Validation Failed', errors: [{ message: 'was submitted too quickly' }] },
      },
      60_000,
    ],
    [
      'the primary limit',
      { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(20) } },
      20_000,
    ],
  ];
  for (const [name, verdict, expectedMs] of limits)
    test(`waits out ${name} and makes the comment once (B11)`, async () => {
      const issue = world.local.openIssue('acme/pond', { title: 'x', body: '', author: 'alice' });
      world.gate.rule = first(COMMENT, verdict);
      await github().ensureComment(world.ref, issue, { marker: 'm', body: 'b' }, options);
      assert.equal(world.place.issues.get(issue)?.comments.length, 1);
      assert.equal(world.pauses.length, 1);
      const [pauseMs = 0] = world.pauses;
      assert.ok(pauseMs >= expectedMs - 2_000 && pauseMs <= expectedMs + 2_000, String(pauseMs));
    });

  test('leaves what must be waited for longer than a minute to the queue (B11)', async () => {
    const reset = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(20 * 60) };
    world.gate.rule = first(ISSUE, { status: 403, headers: reset }, 99);
    await assert.rejects(readIssue(), (thrown: unknown) => {
      assert.ok(thrown instanceof Fault && thrown.code === 'forge_rate_limited' && thrown.retryable);
      assert.ok(Math.abs((thrown.retryAfterMs ?? 0) - 20 * 60_000) < 10_000);
      return true;
    });
    assert.deepEqual(world.pauses, []);
    world.gate.rule = first(ISSUE, { status: 429 }, 99);
    await assert.rejects(
      readIssue(),
      (thrown: unknown) => thrown instanceof Fault && thrown.retryAfterMs === 120_000,
    );
    assert.deepEqual(world.pauses, [60_000]);
  });

  test('reads again after a broken connection, a 502 and a forge that says nothing (R19)', async () => {
    for (const verdict of ['cut_before', 'silent', { status: 502, body: '<html>' }] as const) {
      world.gate.rule = first(ISSUE, verdict);
      assert.ok(await readIssue(), JSON.stringify(verdict));
    }
    world.gate.rule = first(ISSUE, 'cut_before', 99);
    await assert.rejects(readIssue(), isFault('forge_unavailable'));
  });

  for (const verdict of ['cut_after', 'cut_before', { status: 502 }] as const)
    test(`makes one comment, one check, one draft when the answer is ${JSON.stringify(verdict)} (E11)`, async () => {
      const issue = world.local.openIssue('acme/pond', { title: 'x', body: '', author: 'alice' });
      const branch = `tadpole/e11-${issue}`;
      await gitIn(['branch', branch, 'main'], { cwd: world.place.folder, home: '/' });
      const lost = (path: RegExp) => first(by('POST', path), verdict);
      world.gate.rule = lost(/comments$/);
      await github().ensureComment(world.ref, issue, { marker: 'm', body: 'b' }, options);
      assert.equal(world.place.issues.get(issue)?.comments.length, 1);
      world.gate.rule = lost(/pulls$/);
      await github().ensureDraft(world.ref, { head: branch, base: 'main', title: 't', body: 'b' }, options);
      assert.equal([...world.place.pulls.values()].filter(({ head }) => head === branch).length, 1);
      world.gate.rule = lost(/check-runs$/);
      const check = {
        commit: world.head,
        name: branch,
        conclusion: 'neutral',
        title: 't',
        summary: 's',
      } as const;
      await github().ensureCheck(world.ref, check, options);
      assert.equal(world.place.checks.filter(({ name }) => name === branch).length, 1);
    });

  test('repeats an edit and a removal whose answer was lost (E11)', async () => {
    const issue = world.local.openIssue('acme/pond', { title: 'x', body: '', author: 'alice' });
    const forge = github();
    await forge.ensureComment(world.ref, issue, { marker: 'm', body: 'one' }, options);
    world.gate.rule = first(by('PATCH', /comments/), 'cut_after');
    await forge.ensureComment(world.ref, issue, { marker: 'm', body: 'two' }, options);
    assert.match(world.place.issues.get(issue)?.comments[0]?.body ?? '', /^two/);
    world.place.issues.get(issue)?.labels.add('tadpole');
    world.gate.rule = first(by('DELETE', /labels/), 'cut_after');
    await forge.ensureLabelRemoved(world.ref, issue, 'tadpole', options);
    assert.equal(world.place.issues.get(issue)?.labels.size, 0);
  });

  test('adopts the draft that exists already, and one that people have closed meanwhile', async () => {
    const draft = { head: 'tadpole/adopt', base: 'main', title: 't', body: 'b' };
    await gitIn(['branch', draft.head, 'main'], { cwd: world.place.folder, home: '/' });
    const made = await github().ensureDraft(world.ref, draft, options);
    // The list lags behind: the draft is not in it yet.
    world.gate.rule = first(by('GET', /pulls\?/), { status: 200, body: [] });
    assert.deepEqual(await github().ensureDraft(world.ref, draft, options), { ...made, created: false });
    const closed = [{ number: made.number, title: 't', body: 'b', draft: true, state: 'closed' }];
    world.gate.rule = (request) =>
      by('GET', /pulls\?.*state=all/)(request) ? { status: 200, body: closed } : 'pass';
    assert.deepEqual(await github().ensureDraft(world.ref, draft, options), { ...made, created: false });
  });

  test('closes what was asked for as a draft and is none, and says that there are no drafts', async () => {
    const edits: string[] = [];
    world.gate.rule = (request) => {
      if (PULLS(request)) return { status: 201, body: { number: 77, title: 't', body: 'b', draft: false } };
      if (request.method !== 'PATCH') return 'pass';
      edits.push(`${request.path} ${request.body}`);
      return { status: 200, body: {} };
    };
    const draft = { head: 'tadpole/no-draft', base: 'main', title: 't', body: 'b' };
    await assert.rejects(
      github().ensureDraft(world.ref, draft, options),
      isFault('forge_answer_invalid', /it was closed/),
    );
    assert.deepEqual(edits, ['/api/v3/repos/acme/pond/pulls/77 {"state":"closed"}']);
  });

  test('leaves a check run of another app with the same name alone', async () => {
    const foreign = {
      check_runs: [{ id: 5, name: 'Tadpole', app: { id: 1 }, conclusion: 'failure', output: null }],
    };
    world.gate.rule = (request) =>
      by('GET', /check-runs/)(request) ? { status: 200, body: foreign } : 'pass';
    await github().ensureCheck(
      world.ref,
      { commit: world.head, name: 'Tadpole', conclusion: 'success', title: 't', summary: 's' },
      options,
    );
    assert.equal(count(by('PATCH', /./)), 0);
    assert.equal(count(by('POST', /check-runs$/)), 1);
  });

  test('calls an answer that is a login page, or lacks a field, what it is', async () => {
    world.gate.rule = first(
      ISSUE,
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Sign in' },
      9,
    );
    await assert.rejects(readIssue(), isFault('forge_answer_invalid', /GET \/repos.*body/));
    world.gate.rule = first(ISSUE, { status: 200, body: { number: world.issue } }, 9);
    await assert.rejects(readIssue(), isFault('forge_answer_invalid', /title/));
  });

  test('says why a file that is there can not be read', async () => {
    const answers = [
      ['not_a_file', [{ type: 'file', name: 'x' }]],
      ['not_a_file', { type: 'submodule' }],
      ['too_large', { type: 'file', encoding: 'none', content: '', size: 2_000_000 }],
      [
        'not_text',
        { type: 'file', encoding: 'base64', content: Buffer.from([0xc3, 0x28]).toString('base64'), size: 2 },
      ],
    ] as const;
    for (const [why, body] of answers) {
      world.gate.rule = first(by('GET', /contents/), { status: 200, body });
      const read = await github().readFile(world.ref, { path: '.tadpole.yml', commit: world.head }, options);
      assert.deepEqual(read, { kind: 'unreadable', why });
    }
  });

  test('stops waiting when the signal fires', async () => {
    const stop = new AbortController();
    const forge = createGitHub({
      ...world.options,
      pause: async (_, signal) => {
        stop.abort(new Error('stop'));
        signal.throwIfAborted();
      },
    });
    world.gate.rule = first(ISSUE, { status: 429 }, 9);
    await assert.rejects(forge.readIssue(world.ref, world.issue, { signal: stop.signal }), /stop/);
  });

  test('tells no token, not even to the log', async () => {
    world.gate.rule = first(ISSUE, { status: 403 }, 99);
    const thrown = await readIssue().catch((err: unknown) => err);
    const text = JSON.stringify([world.logged, String(thrown), (thrown as Fault).detail]);
    for (const token of world.local.world.tokens.keys()) assert.ok(!text.includes(token));
  });
});

describe('src/forge/github/app-permissions.ts at the start', () => {
  let world: ForgeWorld;
  before(async () => {
    world = await createForgeWorld();
  });
  after(() => world.close());

  test('accepts an app with the permissions of app.yml', async () => {
    const standing = await assertLeastPermissions(world.options, options);
    assert.deepEqual(standing, { dangerous: [], excess: [], missing: [] });
  });

  test('refuses an app that may change workflows, and says where to take that away (T10)', async () => {
    const app = {
      slug: 'tadpole',
      permissions: { contents: 'write', workflows: 'write', administration: 'read' },
    };
    world.gate.rule = first(by('GET', /\/app$/), { status: 200, body: app });
    await assert.rejects(
      assertLeastPermissions(world.options, options),
      isFault('config_invalid', /holds workflows, administration;.*settings/),
    );
  });
});
