import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { Fault, type FaultCode } from '../../src/errors.ts';
import { createGitHub } from '../../src/forge/github/github.ts';
import { by, first, type GateRequest, type Verdict } from '../fakes/forge-gate.ts';
import { createForgeWorld, type ForgeWorld } from '../fakes/forge-world.ts';

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
});
