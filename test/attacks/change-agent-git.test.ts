import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Change, Prepared } from '../../src/run/types.ts';
import { createWorld, type World } from '../fakes/git-world.ts';

const EDIT = `printf 'one\\nTWO\\nthree\\n' > calc.txt; printf 'new\\n' > added.txt; rm gone.txt`;

/** E01: whatever the agent does with git besides its edits, the change is the same. */
const VARIANTS: Record<string, string> = {
  'only edits': EDIT,
  'commits everything': `${EDIT}; git add -A; git commit -qm x`,
  'stages only': `${EDIT}; git add -A`,
  'commits with -am on another branch': `git checkout -q -b other; ${EDIT}; git commit -qam x`,
  'commits twice and detaches': `${EDIT}; git add -A; git commit -qm x; git checkout -q --detach; git commit -q --allow-empty -m y`,
  'stashes and pops': `${EDIT}; git add -A; git stash -q; git stash pop -q`,
  'tries to reset below the only commit': `(git reset -q --hard HEAD~1 || true); ${EDIT}`,
  'begins a new repository': `${EDIT}; rm -rf .git && git init -q && git add -A && git -c user.name=a -c user.email=a@b.c commit -qm x`,
  'deletes .git': `${EDIT}; rm -rf .git`,
  'makes .git a file': `${EDIT}; rm -rf .git; echo 'gitdir: /etc' > .git`,
  'makes .git a link': `${EDIT}; rm -rf .git; ln -s /etc .git`,
  'configures diffs': `${EDIT}; git config diff.noprefix true; git config diff.external /bin/false; git config color.ui always; git config core.quotePath true`,
  'configures conversions': `git config core.autocrlf true; git config core.eol crlf; ${EDIT}; git add -A 2>/dev/null`,
  'configures filters': `git config filter.x.clean 'tr a-z A-Z'; mkdir -p .git/info; echo '* filter=x' > .git/info/attributes; ${EDIT}; git add -A`,
  'excludes its files in .git/info': `mkdir -p .git/info; echo '*' > .git/info/exclude; ${EDIT}`,
  'marks files as unchanged': `git update-index --assume-unchanged calc.txt; git update-index --skip-worktree calc.txt; ${EDIT}`,
  'writes a broken index': `${EDIT}; echo rubbish > .git/index; echo rubbish > .git/HEAD`,
  'sets hooks': `mkdir -p .git/hooks; for h in pre-commit post-checkout post-index-change; do printf '#!/bin/sh\\ntouch /workspace/HOOKED\\n' > .git/hooks/$h; chmod +x .git/hooks/$h; done; git config core.fsmonitor 'touch /workspace/HOOKED; false'; ${EDIT}`,
  'makes files unreadable': `${EDIT}; chmod 000 calc.txt added.txt`,
  'leaves git locked': `${EDIT}; touch .git/index.lock .git/HEAD.lock`,
};

describe('src/run/change.ts: nothing the agent does with git changes the change (E01, E19)', () => {
  let world: World;
  let prepared: Prepared;
  let expected: Change;
  before(async () => {
    world = await createWorld();
    prepared = await world.prepared({
      'calc.txt': 'one\ntwo\nthree\n',
      'gone.txt': 'x\n',
      'same.txt': 'same\n',
      'dir/run.sh': { exec: '#!/bin/sh\n' },
    });
    const sandbox = await world.filled(prepared);
    await sandbox.sh(EDIT);
    expected = await world.collect(sandbox, prepared);
  });
  after(() => world.close());

  it('the plain edit is what was asked for', () => {
    assert.equal(expected.kind, 'changed');
    assert.deepEqual(
      expected.files.map(({ path, kind, additions, deletions }) => [path, kind, additions, deletions]),
      [
        ['added.txt', 'added', 1, 0],
        ['calc.txt', 'modified', 1, 1],
        ['gone.txt', 'deleted', 0, 1],
      ],
    );
    assert.deepEqual(expected.notes, []);
  });

  for (const [name, script] of Object.entries(VARIANTS)) {
    it(`the agent ${name}`, async () => {
      const sandbox = await world.filled(prepared);
      await sandbox.sh(script);
      assert.deepEqual(await world.collect(sandbox, prepared), expected);
    });
  }
});

describe('src/run/change.ts: no change is no change (E04)', () => {
  let world: World;
  let prepared: Prepared;
  before(async () => {
    world = await createWorld();
    prepared = await world.prepared({
      'a.txt': 'one\n\ntwo\n',
      'crlf.txt': 'one\r\ntwo\r\n',
      '.gitignore': '*.log\nout/\n',
      'run.sh': { exec: '#!/bin/sh\n' },
      link: { link: 'a.txt' },
      'kept.log': 'tracked although ignored\n',
    });
  });
  after(() => world.close());

  const cases: Record<string, string> = {
    'nothing is done': 'true',
    'an edit is taken back': 'cp a.txt /tmp/a; echo x >> a.txt; cat /tmp/a > a.txt',
    'an edit is committed and reverted':
      'echo x >> a.txt; git commit -qam x; git revert --no-edit HEAD >/dev/null',
    'only ignored files are written': 'echo x > y.log; mkdir out; echo x > out/z',
    'only permissions change': 'chmod +x a.txt; chmod -x run.sh; chmod 600 crlf.txt',
    'only spaces at line ends change': "printf 'one  \\n\\ntwo\\t\\n' > a.txt",
    'only blank lines change': "printf 'one\\n\\n\\n\\ntwo\\n' > a.txt",
    'only line endings change': "printf 'one\\ntwo\\n' > crlf.txt",
    'only caches are written':
      'mkdir -p node_modules/x src/__pycache__ .venv/lib; echo 1 > node_modules/x/i.js; echo 1 > src/__pycache__/a.pyc; echo 1 > .venv/lib/x',
    'only empty folders are made': 'mkdir -p x/y/z',
    'only pipes and sockets are made': 'mkfifo pipe',
  };
  for (const [name, script] of Object.entries(cases)) {
    it(name, async () => {
      const sandbox = await world.filled(prepared);
      await sandbox.sh(script);
      assert.equal((await world.collect(sandbox, prepared)).kind, 'none');
    });
  }

  it('a change of indentation is a change: it means something in Python', async () => {
    const sandbox = await world.filled(prepared);
    await sandbox.sh("printf 'one\\n\\n  two\\n' > a.txt");
    assert.equal((await world.collect(sandbox, prepared)).kind, 'changed');
  });

  it('a tracked file that an ignore rule names still counts', async () => {
    const sandbox = await world.filled(prepared);
    await sandbox.sh('echo more >> kept.log');
    const change = await world.collect(sandbox, prepared);
    assert.deepEqual(change.kind === 'changed' && change.files.map(({ path }) => path), ['kept.log']);
  });
});
