import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { readIssueFile } from '../../../src/commands/issue-file.ts';
import { readSampleTranscript, SAMPLE } from '../../../src/commands/sample.ts';

interface Call {
  readonly name: string;
  readonly arguments: Record<string, string>;
}
interface Turn {
  readonly content: string;
  readonly calls: readonly Call[];
}

const { turns } = (await readSampleTranscript()) as { turns: readonly Turn[] };
const folder = mkdtempSync(join(tmpdir(), 'tadpole-sample-'));
after(() => rmSync(folder, { recursive: true }));
cpSync(SAMPLE.folder, folder, { recursive: true });

/** Last line of pytest in the copy, with the system's Python alone. */
function runTests(): string {
  const env = { PATH: '/usr/bin:/bin', PYTHONDONTWRITEBYTECODE: '1' };
  const argv = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'];
  const { stdout } = spawnSync('/usr/bin/python3', argv, { cwd: folder, env, encoding: 'utf8' });
  return stdout.trim().split('\n').at(-1) ?? '';
}

/** Does one edit as the model's tool would; false when its text is not there exactly once. */
function applyEdit({ file_path = '', old_string = '', new_string = '' }: Record<string, string>): boolean {
  const path = join(folder, file_path);
  const parts = readFileSync(path, 'utf8').split(old_string);
  if (parts.length !== 2) return false;
  writeFileSync(path, parts.join(new_string));
  return true;
}

describe('samples/total', () => {
  test('the recording turns one failing test into none, after one edit that does not fit', () => {
    assert.match(runTests(), /^1 failed, 5 passed/);
    const edits = turns.flatMap(({ calls }) => calls).filter(({ name }) => name === 'Edit');
    assert.deepEqual(
      edits.map((edit) => applyEdit(edit.arguments)),
      [false, true, true],
    );
    assert.match(runTests(), /^7 passed/);
  });

  test('the new test fails without the change, as the model says', () => {
    const original = readFileSync(join(SAMPLE.folder, 'calc/total.py'), 'utf8');
    writeFileSync(join(folder, 'calc/total.py'), original);
    assert.match(runTests(), /^2 failed, 5 passed/);
  });

  test('the recording uses tools of the harness only, and ends without a call', () => {
    const names = new Set(turns.flatMap(({ calls }) => calls.map(({ name }) => name)));
    assert.deepEqual([...names].sort(), ['Bash', 'Edit', 'Glob', 'Read']);
    assert.equal(turns.length, 9);
    assert.deepEqual(
      turns.map(({ calls }) => calls.length > 0),
      [...Array(8).fill(true), false],
    );
  });

  test('the issue has a title, and names the failing test', async () => {
    const { title, body } = await readIssueFile(SAMPLE.issueFile);
    assert.equal(title, 'The first row is missing from totals');
    assert.match(body, /test_first_row/);
  });

  test('every file of the repository is in ours, also those whose names start with a dot', () => {
    const argv = ['ls-files', '--cached', '--others', '--exclude-standard', '.'];
    const listed = execFileSync('git', argv, { cwd: SAMPLE.folder, encoding: 'utf8' }).trim().split('\n');
    for (const path of ['.github/tadpole.yml', '.gitignore', 'calc/total.py', 'pyproject.toml']) {
      assert.ok(listed.includes(path), path);
    }
  });
});
