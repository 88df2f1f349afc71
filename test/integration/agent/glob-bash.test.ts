import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sh } from '../../fakes/sandboxes.ts';
import { openToolWorld, type ToolWorld } from '../../fakes/tool-world.ts';

let world: ToolWorld;
before(async () => {
  world = await openToolWorld();
});
after(() => world.close());

const glob = (pattern: string, path?: string) =>
  world.use('Glob', { pattern, ...(path === undefined ? {} : { path }) });
const bash = (command: string, rest: Record<string, unknown> = {}, remainingMs?: number) =>
  world.use('Bash', { command, ...rest }, remainingMs);

const PATTERNS = [
  ...[
    '*',
    '**',
    '**/*',
    '*.py',
    '**/*.py',
    'src/**',
    'src/**/*.py',
    '*/**',
    '**/.*',
    '.*',
    '.*/*',
    '**/.hid/**',
  ],
  ...[
    '[ab]*',
    '[!a]*',
    '**/[a-c]?.py',
    'src/*/b.py',
    '**/test_*',
    'src/../*.py',
    './*.py',
    'a.py',
    '.env',
    'none',
    '[',
    'a[',
    '',
  ],
  ...[
    'link/*',
    'link/**',
    '**/inner.py',
    'src/',
    '**/',
    '**/**/b.py',
    '*.{py,js}',
    '\\*',
    '**.py',
    'S*',
    '?',
    'ü*',
  ],
];

describe('src/agent/tools/glob.ts', () => {
  it("finds the files that Python's glob finds", async () => {
    const files = [
      'a.py',
      'b.js',
      '.env',
      'src/a.py',
      'src/b.py',
      'src/lib/b.py',
      'src/lib/ab.py',
      'src/.hid/c.py',
      '.hid/d.py',
    ];
    const more = [
      'test/test_a.py',
      'ünder.txt',
      'x/y/z/deep.py',
      'far/inner.py',
      'src/lib/.dot',
      'x/\\*',
      'x/new line',
    ];
    for (const file of [...files, ...more]) await world.put(file, 'x');
    await world.shell('ln -s far link; ln -s ../a.py src/alias.py; ln -s nowhere broken; mkdir empty');
    const code = [
      'import glob, json, os, sys',
      'def show(path):',
      '    real = os.path.realpath(path)',
      '    return os.path.relpath(real, "/workspace") if real.startswith("/workspace/") else real',
      'for pattern in json.load(sys.stdin):',
      '    found = {show(p) for p in glob.glob(pattern, recursive=True) if os.path.isfile(p)}',
      '    print(json.dumps(sorted(found)))',
    ];
    await world.put('/tmp/find.py', code.join('\n'));
    await world.put('/tmp/patterns', JSON.stringify(PATTERNS.filter(Boolean)));
    const lines = (await world.shell('/usr/bin/python3 /tmp/find.py < /tmp/patterns')).trim().split('\n');
    for (const [index, pattern] of PATTERNS.filter(Boolean).entries()) {
      const expected = JSON.parse(lines[index] ?? '') as string[];
      assert.equal(await glob(pattern), expected.join('\n') || 'No files matched.', pattern);
    }
  });

  it('looks in another folder, by relative, absolute and home paths', async () => {
    await world.put('pkg/m/one.py', 'x');
    await world.shell('mkdir -p ~/h; echo x > ~/h/two.py');
    assert.equal(await glob('**/*.py', 'pkg'), 'pkg/m/one.py');
    assert.equal(await glob('/workspace/pkg/*/*'), 'pkg/m/one.py');
    assert.equal(await glob('*.py', '~/h'), '/home/sandbox/h/two.py');
    assert.equal(await glob('*.py', 'no/such/folder'), 'No files matched.');
    assert.equal(await glob('~/h/*'), '/home/sandbox/h/two.py');
  });

  it('says what is wrong with its arguments', async () => {
    assert.equal(await world.use('Glob', {}), 'ValueError: pattern is required');
    assert.equal(await glob(''), 'ValueError: pattern must be non-empty');
    assert.match(await glob('*'.repeat(5000)), /^OSError: \[Errno 36\] File name too long/);
  });

  it('shows a thousand files and counts the others', async () => {
    await world.shell('mkdir many; cd many; seq -f f%05g 2500 | xargs touch');
    const lines = (await glob('many/*')).split('\n');
    assert.deepEqual(
      [lines.length, lines[0], lines[999], lines[1000]],
      [1001, 'many/f00001', 'many/f01000', '... 1500 more files'],
    );
  });

  it('ends soon over 300,000 files and over a cycle of links (E18)', async () => {
    const made = await sh(
      world.sandbox,
      'mkdir -p huge/a/b; cd huge; ln -s .. a/up; ln -s . self; echo x > a/b/only.txt; for d in $(seq 30); do mkdir d$d; (cd d$d; seq 10000 | xargs touch); done',
      { timeoutMs: 600_000 },
    );
    assert.equal(made.exitCode, 0, 'the files are all there');
    const begin = performance.now();
    assert.equal(await glob('huge/**/only.txt'), 'huge/a/b/only.txt');
    const all = (await glob('huge/**/*')).split('\n');
    assert.equal(all.at(-1), '... 299001 more files');
    assert.ok(performance.now() - begin < 60_000);
  });
});

describe('src/agent/tools/bash.ts', () => {
  it('runs a login shell in the working directory, with both streams and the exit code', async () => {
    assert.equal(
      await bash('pwd; echo "$0"; echo oops >&2; exit 3'),
      'Exit code: 3\nSTDOUT:\n/workspace\n/bin/bash\n\nSTDERR:\noops\n',
    );
    assert.match(
      await bash('shopt login_shell; nothing-here'),
      /login_shell\s+on\n\nSTDERR:\n\/bin\/bash: line 1: nothing-here: command not found\n$/,
    );
  });

  it('gives commands nothing to read', async () => {
    assert.equal(await bash('cat; read -r line; echo "[$line]"'), 'Exit code: 0\nSTDOUT:\n[]\n\nSTDERR:\n');
  });

  it('names the signal that ended it', async () => {
    assert.equal(await bash('kill -9 $$'), 'Exit code: -9\nSTDOUT:\n\nSTDERR:\n');
    assert.match(await bash('kill -SEGV $$'), /^Exit code: -11\n/);
    assert.match(await bash('sh -c "kill -9 \\$\\$"; true'), /^Exit code: 0\n/);
  });

  it('keeps the text of a command as it is, up to 200 KB and beyond (A07)', async () => {
    for (const lines of [700, 20_000, 60_000]) {
      const body = Array.from({ length: lines }, (_, index) => `line ${index} $HOME \`id\``).join('\n');
      const command = `cat > here <<'END'\n${body}\nEND\nsha256sum < here; cat; echo "$0"; false`;
      const result = await bash(command);
      const { createHash } = await import('node:crypto');
      const hash = createHash('sha256').update(`${body}\n`).digest('hex');
      assert.equal(
        result,
        `Exit code: 1\nSTDOUT:\n${hash}  -\n/bin/bash\n\nSTDERR:\n`,
        `${command.length} bytes`,
      );
    }
    assert.equal(await bash("printf '%s' '  a\\n$x\n'"), 'Exit code: 0\nSTDOUT:\n  a\\n$x\n\nSTDERR:\n');
    assert.equal(await bash('a\0b'), 'ValueError: command must not contain a null byte');
  });

  it('ends a command at its time limit with all that it started, and shows what it printed (A09)', async () => {
    const looping =
      'echo begun; (while :; do echo x >> grow; sleep 0.05; done) & setsid sh -c "while :; do echo x >> grow2; sleep 0.05; done" & wait';
    assert.equal(await bash(looping, { timeout: 1 }), 'Timed out after 1.0s\nSTDOUT:\nbegun\n\nSTDERR:\n');
    const sizes = await world.shell('stat -c %s grow grow2; sleep 0.3; stat -c %s grow grow2');
    const [a, b, c, d] = sizes.split('\n');
    assert.deepEqual([a, b], [c, d]);
  });

  it('reads the time limit in seconds, above 1000 in milliseconds, and never beyond what the run has left', async () => {
    assert.match(await bash('sleep 60', { timeout: 1500 }), /^Timed out after 1\.5s\n/);
    assert.match(await bash('sleep 60', { timeout_ms: '600' }), /^Timed out after 0\.6s\n/);
    assert.match(await bash('sleep 60', {}, 700), /^Timed out after 0\.7s\n/);
    assert.match(await bash('echo fine', { timeout: -1 }), /^Exit code: 0\n/);
    assert.equal(await bash('true', { timeout: 'soon' }), 'ValueError: timeout must be a number');
  });

  it('shows head and tail of endless output, and the true exit code (E18)', async () => {
    const failing = await bash('yes | head -c 30000000; echo FAILED: the reason; exit 5');
    assert.ok(failing.startsWith('Exit code: 5\nSTDOUT:\ny\ny\n'));
    assert.match(failing.slice(-200), /y\nFAILED: the reason\n\nSTDERR:\n\n\[truncated 299\d{5} chars\]$/);
    assert.ok(failing.length < 30_100);
    const endless = await bash('cat /dev/urandom', { timeout: 1 });
    assert.ok(endless.startsWith('Timed out after 1.0s') && endless.length < 31_000);
  });
});
