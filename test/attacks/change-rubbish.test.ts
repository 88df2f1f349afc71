import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Prepared } from '../../src/run/types.ts';
import { createWorld, type World } from '../fakes/git-world.ts';

describe('src/run/change.ts: what running things leaves behind stays out (E07)', () => {
  let world: World;
  let prepared: Prepared;
  before(async () => {
    world = await createWorld();
    prepared = await world.prepared({
      'calc.py': 'a = 1\n',
      'package.json': '{}\n',
      'package-lock.json': '{"lockfileVersion": 3}\n',
      'vendor/node_modules/kept.js': 'tracked\n',
    });
  });
  after(() => world.close());

  it('a repository without ignore files yields only the file that the task touched', async () => {
    const sandbox = await world.filled(prepared);
    await sandbox.sh(`
      echo 'a = 2' > calc.py
      mkdir -p __pycache__ pkg/__pycache__ .venv/lib/python3/site-packages .pytest_cache/v/cache .mypy_cache htmlcov .tox/py x.egg-info coverage
      for f in __pycache__/calc.cpython-313.pyc pkg/__pycache__/a.pyc .venv/pyvenv.cfg .venv/lib/python3/site-packages/x.py .pytest_cache/v/cache/lastfailed htmlcov/index.html .tox/py/x x.egg-info/PKG-INFO coverage/lcov.info; do echo rubbish > $f; done
      printf '*' > .pytest_cache/.gitignore
      echo x > calc.py.orig; echo x > calc.py.rej; echo x > .calc.py.swp; echo x > 'calc.py~'; echo x > core.4711; echo x > .coverage; echo x > .coverage.host.1
      echo '{"lockfileVersion": 3, "touched": true}' > package-lock.json
      /usr/bin/truncate -s 200M dump.bin
    `);
    const change = await world.collect(sandbox, prepared);
    assert.equal(change.kind, 'changed');
    assert.deepEqual(
      change.files.map((file) => file.path),
      ['calc.py'],
    );
    const notes = change.notes.join('\n');
    for (const said of ['package-lock.json', 'dump.bin', '.venv', 'calc.py.orig'])
      assert.ok(notes.includes(said), said);
  });

  it('a cache folder that the base has files in is looked into', async () => {
    const sandbox = await world.filled(prepared);
    await sandbox.sh('echo changed > vendor/node_modules/kept.js; rm -rf x');
    const change = await world.collect(sandbox, prepared);
    assert.deepEqual(change.kind === 'changed' && change.files.map((file) => file.path), [
      'vendor/node_modules/kept.js',
    ]);
  });

  it('a lock file comes along when its manifest was changed', async () => {
    const sandbox = await world.filled(prepared);
    await sandbox.sh(`echo '{"name": "x"}' > package.json; echo '{}' > package-lock.json`);
    const change = await world.collect(sandbox, prepared);
    assert.deepEqual(change.kind === 'changed' && change.files.map((file) => file.path), [
      'package-lock.json',
      'package.json',
    ]);
  });

  it('a nested repository gives its files and not its .git, and is named (E01)', async () => {
    const sandbox = await world.filled(prepared);
    await sandbox.sh(
      `mkdir lib; cd lib; git init -q; echo x > x.py; git add .; git -c user.name=a -c user.email=a@b.c commit -qm x`,
    );
    const change = await world.collect(sandbox, prepared);
    assert.equal(change.kind, 'changed');
    assert.deepEqual(
      change.files.map((file) => file.path),
      ['lib/x.py'],
    );
    assert.deepEqual(change.notes, ['left out, the `.git` of nested repositories: "lib"']);
  });

  it('more files than the cap are refused', async () => {
    const sandbox = await world.filled(prepared);
    await sandbox.sh('mkdir many; cd many; /usr/bin/seq 1 200 | xargs touch');
    const { collectChange } = await import('../../src/run/change.ts');
    const caps = { fileBytes: 1e6, totalBytes: 1e6, listedFiles: 100 };
    const policy = { paths: { deny: [] }, limits: { filesChanged: 1000 } };
    const change = await collectChange(
      { ...world.deps, caps },
      { runId: 'r', sandbox, prepared, policy },
      world,
    );
    assert.deepEqual(change, { kind: 'refused', problems: ['the work tree holds more than 100 files'] });
  });
});

describe('src/run/change.ts: what the tree plants never runs on our side (E19, T20)', () => {
  it('hooks, filters, drivers, submodules, links and bare repositories leave no trace here', async (t) => {
    const world = await createWorld();
    t.after(() => world.close());
    const sentinel = path.join(world.folder, 'SENTINEL');
    const harm = `touch ${sentinel}`;
    const prepared = await world.prepared({
      'a.txt': 'one\n',
      '.gitattributes': '* filter=x diff=x merge=x\n',
      link: { link: '../../../../../../etc/passwd' },
      dirlink: { link: '/etc' },
      'fixture/HEAD': 'ref: refs/heads/x\n',
      'fixture/config': `[core]\n\tfsmonitor = "${harm}"\n\tsshCommand = "${harm}"\n[filter "x"]\n\tclean = ${harm}\n`,
      'fixture/objects/.keep': '',
      'fixture/refs/.keep': '',
      'fixture/hooks/post-checkout': { exec: `#!/bin/sh\n${harm}\n` },
    });
    const sandbox = await world.filled(prepared);
    await sandbox.sh(`
      echo two > a.txt
      git config core.hooksPath /workspace/hooks; git config core.fsmonitor '${harm}'; git config diff.external '${harm}'
      git config filter.x.clean '${harm}'; git config filter.x.smudge '${harm}'; git config diff.x.textconv '${harm}'; git config alias.diff '!${harm}'
      git config core.sshCommand '${harm}'; git config uploadpack.packObjectsHook '${harm}'; git config include.path /workspace/evil
      mkdir -p hooks; printf '#!/bin/sh\\n${harm}\\n' | /usr/bin/tee .git/hooks-x hooks/pre-commit hooks/post-index-change > /dev/null; chmod +x hooks/*
      rm -rf hooks
    `);
    const change = await world.collect(sandbox, prepared);
    assert.deepEqual(change.kind === 'changed' && change.files.map((file) => file.path), ['a.txt']);
    assert.ok(!existsSync(sentinel));

    // Written "through" a link, the target of the sandbox's own system is meant, and no file of the change.
    const through = await world.filled(prepared);
    await through.sh(
      'echo x >> link || true; echo y > dirlink/planted || true; ln -s / root; ln -s ../.. up',
    );
    const refused = await world.collect(through, prepared);
    assert.equal(refused.kind, 'refused');
    assert.deepEqual(
      refused.problems.map((problem) => problem.split(' ')[0]),
      ['"root"', '"up"'],
    );

    const planted = await world.filled(prepared);
    await planted.sh('git init -q --bare evil.git; echo x > evil.git/objects/x; echo y > evil.git/refs/y');
    assert.equal((await world.collect(planted, prepared)).kind, 'refused');
    assert.ok(!existsSync(sentinel));
  });
});
