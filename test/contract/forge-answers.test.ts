import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { Fault, type FaultCode } from '../../src/errors.ts';
import { createGitHub } from '../../src/forge/github/github.ts';
import { by, first, type GateRequest } from '../fakes/forge-gate.ts';
import { createForgeWorld, type ForgeWorld, gitIn } from '../fakes/forge-world.ts';

const options = { signal: AbortSignal.timeout(240_000) };
const ISSUE = by('GET', /issues\/\d+$/);
const PULLS = by('POST', /pulls$/);

function isFault(code: FaultCode, pattern = /./) {
  return (thrown: unknown) => {
    assert.ok(thrown instanceof Fault, String(thrown));
    assert.equal(thrown.code, code);
    assert.match(thrown.detail, pattern);
    return true;
  };
}

describe('src/forge/github when answers are lost, late or wrong', () => {
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
