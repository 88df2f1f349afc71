import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const WARNING = 'Passing tests do not mean that this change is correct.';

/** Starts `tadpole try`; the lines of its standard output as they come. */
function startTry(args: readonly string[]) {
  const { MODEL_BASE_URL: _, ...env } = process.env;
  const child = spawn(process.execPath, [MAIN, 'try', '--json', '--port', '0', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { child, lines: createInterface({ input: child.stdout }) };
}

describe('tadpole try', () => {
  test('brings the sample from a label to a draft that shows results and warning', async () => {
    const { child, lines } = startTry([]);
    try {
      let last: { outcome?: string; draft?: string } = {};
      for await (const line of lines) {
        last = JSON.parse(line);
        if (typeof last.draft === 'string') break;
      }
      assert.equal(last.outcome, 'pr_opened');
      const draft = await (await fetch(last.draft ?? '')).text();
      assert.match(draft, /Draft<\/span>/);
      assert.ok(draft.includes(WARNING));
      assert.match(draft, /recorded model/);
      assert.match(draft, /Verified as far as tests can/);
      assert.match(draft, /<strong>Fixed<\/strong>: <code>tests\/test_total\.py::/);
      assert.match(draft, /Tadpole: verification: <strong>success<\/strong>/);

      const issue = await (await fetch((last.draft ?? '').replace(/pull\/\d+$/, 'issues/1'))).text();
      assert.match(issue, /Tadpole opened a draft: #2/);
      assert.equal(issue.match(/tadpole\[bot\]/g)?.length, 1, 'one status comment');
      assert.doesNotMatch(issue, /badge">tadpole/, 'the label is off');
    } finally {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    }
    assert.equal(child.exitCode, 0);
  });

  test('with --once ends by itself, with 0 for a draft', async () => {
    const { child, lines } = startTry(['--once']);
    const all: string[] = [];
    for await (const line of lines) all.push(line);
    if (child.exitCode === null) await once(child, 'exit');
    assert.equal(child.exitCode, 0);
    assert.equal(JSON.parse(all.at(-1) ?? '{}').outcome, 'pr_opened');
  });

  test('says that a recording cannot fix other code', async () => {
    const { child } = startTry(['--once', '--repo', '.', '--issue', 'README.md']);
    let text = '';
    for await (const piece of child.stderr) text += piece;
    if (child.exitCode === null) await once(child, 'exit');
    assert.equal(child.exitCode, 2);
    assert.match(text, /recorded model can't fix other people's code/);
  });

  test('ends quietly at Ctrl-C in the middle of a run, and leaves no folder', async () => {
    const { child, lines } = startTry([]);
    let errors = '';
    child.stderr.on('data', (piece) => {
      errors += piece;
    });
    for await (const line of lines) if (JSON.parse(line).stage === 'agent') break;
    child.kill('SIGINT');
    if (child.exitCode === null) await once(child, 'exit');
    assert.equal(child.exitCode, 130);
    assert.doesNotMatch(errors, /AbortError|at /);
  });
});

describe('tadpole start', () => {
  test('names every setting that is missing, and starts nothing', async () => {
    const child = spawn(process.execPath, [MAIN, 'start'], { env: { PATH: process.env.PATH ?? '' } });
    let errors = '';
    for await (const piece of child.stderr) errors += piece;
    if (child.exitCode === null) await once(child, 'exit');
    assert.equal(child.exitCode, 1);
    for (const name of ['GITHUB_APP_ID', 'WEBHOOK_SECRET', 'MODEL_BASE_URL'])
      assert.ok(errors.includes(name), name);
    assert.doesNotMatch(errors, /\n\s+at /);
  });
});
