/**
 * T16 as far as the first verification goes, and T51 in the sandbox: code under test writes, cuts, links or bloats the
 * report, or leaves one lying about. Reports can be forged from inside; these are the forgeries that can be told.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { openVerifying, type VerifyingWorld } from '../fakes/verifying.ts';

const PYTEST = '/usr/bin/python3 -m pytest -q -p no:cacheprovider --junitxml="$TADPOLE_REPORT"';
const FAILING = 'def test_a(): assert False\n';
const GREEN =
  '<testsuites><testsuite name="pytest"><testcase classname="test_a" name="test_a" time="0"/></testsuite></testsuites>';
const LOCAL = { format: 'junit', path: 'report.xml' } as const;

describe('attacks on verification: forged reports', () => {
  let world: VerifyingWorld;
  before(async () => {
    world = await openVerifying();
  });
  afterEach(() => assert.deepEqual(world.alive(), []));
  after(() => world.close());

  const CHEATS: Readonly<Record<string, string>> = {
    'leaves with code 0 before the report': 'import os\ndef test_a(): os._exit(0)\n',
    'leaves with code 0 at import': 'import os\nos._exit(0)\n',
    'writes a green report and leaves with code 1': `import os\ndef test_a():\n    open(os.environ['TADPOLE_REPORT'], 'w').write('''${GREEN}''')\n    os._exit(1)\n`,
    'writes a report with a failure and leaves with code 0': `import os\ndef test_a():\n    open(os.environ['TADPOLE_REPORT'], 'w').write('''${GREEN.replace('/></testsuite>', '><failure/></testcase></testsuite>')}''')\n    os._exit(0)\n`,
    'writes half a report': `import os\ndef test_a():\n    open(os.environ['TADPOLE_REPORT'], 'w').write('''${GREEN.slice(0, 90)}''')\n    os._exit(0)\n`,
    'writes an empty report': `import os\ndef test_a():\n    open(os.environ['TADPOLE_REPORT'], 'w').close()\n    os._exit(0)\n`,
    'writes a report without tests': `import os\ndef test_a():\n    open(os.environ['TADPOLE_REPORT'], 'w').write('<testsuites/>')\n    os._exit(0)\n`,
    'makes the report a link to a file of the tree': `import os\ndef test_a():\n    os.symlink('/workspace/green.xml', os.environ['TADPOLE_REPORT'])\n    os._exit(0)\n`,
    'makes the report a pipe':
      "import os\ndef test_a():\n    os.mkfifo(os.environ['TADPOLE_REPORT'])\n    os._exit(0)\n",
    'makes the report a folder':
      "import os\ndef test_a():\n    os.mkdir(os.environ['TADPOLE_REPORT'])\n    os._exit(0)\n",
    'makes the report huge':
      "import os\ndef test_a():\n    open(os.environ['TADPOLE_REPORT'], 'w').truncate(400 * 1024 * 1024)\n    os._exit(0)\n",
    'declares entities': `import os\ndef test_a():\n    open(os.environ['TADPOLE_REPORT'], 'w').write('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + '''${GREEN}''')\n    os._exit(0)\n`,
    'removes the report at the end':
      "import atexit, os\natexit.register(lambda: os.path.exists(os.environ['TADPOLE_REPORT']) and os.remove(os.environ['TADPOLE_REPORT']))\ndef test_a(): pass\n",
  };
  for (const [name, cheat] of Object.entries(CHEATS)) {
    test(`a change whose test ${name} is not verified`, async () => {
      const begin = performance.now();
      const found = await world.verify(
        { base: { 'test_a.py': FAILING, 'green.xml': GREEN }, patched: { 'test_a.py': cheat } },
        { command: PYTEST },
      );
      assert.equal(found.base?.state, 'ran');
      assert.notEqual(found.verdict, 'verified', JSON.stringify(found.patched));
      assert.equal(found.verdict, 'regression');
      assert.notEqual(found.patched?.state, 'ran');
      // Nothing waits for a writer that never comes.
      assert.ok(performance.now() - begin < 25_000);
    });
  }

  test('a report that lies in the tree is not taken for that of the run', async () => {
    const files = { 'test_a.py': FAILING, 'report.xml': GREEN };
    const found = await world.verify({ base: files }, { command: 'true', report: LOCAL });
    assert.equal(found.base?.state, 'report_missing');
  });

  test('a report in the tree that the run writes is read', async () => {
    const command = PYTEST.replace('"$TADPOLE_REPORT"', 'report.xml');
    const found = await world.verify(
      {
        base: { 'test_a.py': FAILING, 'report.xml': GREEN },
        patched: { 'test_a.py': 'def test_a(): pass\n' },
      },
      { command, report: LOCAL },
    );
    assert.equal(found.verdict, 'verified');
  });

  test('setup cannot know where the report will be', async () => {
    const found = await world.verify(
      { base: { 'green.xml': GREEN } },
      { command: 'true' },
      {
        setup:
          'test -z "$TADPOLE_REPORT" && mkdir -p /tadpole/reports && cp green.xml /tadpole/reports/report.xml',
      },
    );
    assert.equal(found.base?.state, 'report_missing');
  });

  test('nothing that setup leaves in HOME rules the test command', async () => {
    const profile = 'for f in .profile .bash_profile .bash_login .bashrc; do echo "exit 0" > ~/$f; done';
    const found = await world.verify(
      { base: { 'test_a.py': FAILING } },
      { command: PYTEST },
      { setup: profile },
    );
    assert.equal(found.base?.state, 'ran');
    assert.equal(found.base?.exitCode, 1);
  });

  test('a process that the test command leaves behind cannot write the report later', async () => {
    const command = `(sleep 1; cp green.xml "$TADPOLE_REPORT") >/dev/null 2>&1 & true`;
    const found = await world.verify({ base: { 'green.xml': GREEN } }, { command });
    assert.equal(found.base?.state, 'report_missing');
  });

  test('what one side leaves behind does not reach the other', async () => {
    const command = `ls / /tmp /tadpole /home/sandbox > seen.txt; cp green.xml "$TADPOLE_REPORT"; touch /tmp/mark /tadpole/mark ~/mark; ! grep -q mark seen.txt`;
    const found = await world.verify({ base: { 'green.xml': GREEN } }, { command });
    assert.deepEqual([found.base?.state, found.patched?.state], ['ran', 'ran']);
  });
});
