import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeChange } from '../../../src/change/judge.ts';
import type { ChangeRules, FoundFile, Judgement, Listing } from '../../../src/change/types.ts';
import type { Tree } from '../../../src/git/tree.ts';

const OLD = 'a'.repeat(40);
const NEW = 'b'.repeat(40);
const CAPS = { fileBytes: 1000, totalBytes: 2500, listedFiles: 100 };

interface Case {
  readonly base: readonly string[];
  /** Path → what the work tree has; a base path that is absent was deleted, `same` leaves it. */
  readonly work: Readonly<Record<string, Partial<FoundFile> | 'same'>>;
  readonly deny?: readonly string[];
  readonly filesChanged?: number;
  readonly caches?: readonly string[];
}

function judge({ base, work, deny = [], filesChanged = 10, caches = [] }: Case): Judgement {
  const tree: Tree = new Map(base.map((path) => [path, { mode: '100644', id: OLD, bytes: 10 }]));
  const files: Listing['files'] = new Map(
    Object.entries(work).map(([path, found]) => [
      path,
      {
        mode: '100644',
        bytes: 10,
        id: found === 'same' ? OLD : NEW,
        ignored: false,
        ...(found === 'same' ? {} : found),
      },
    ]),
  );
  const rules: ChangeRules = { policy: { paths: { deny }, limits: { filesChanged } }, caps: CAPS };
  return judgeChange(tree, { files, caches, nestedRepositories: [] }, rules);
}

function summary(judgement: Judgement): readonly string[] | string {
  if (judgement.kind === 'changed') return judgement.edits.map(({ kind, path }) => `${kind} ${path}`);
  return judgement.kind;
}

describe('src/change/judge.ts', () => {
  const table: [string, Case, readonly string[] | string][] = [
    ['nothing', { base: ['a'], work: { a: 'same' } }, 'none'],
    ['an edit', { base: ['a'], work: { a: {} } }, ['modified a']],
    ['an addition', { base: ['a'], work: { a: 'same', b: {} } }, ['added b']],
    ['a deletion', { base: ['a', 'b'], work: { a: 'same' } }, ['deleted b']],
    ['a file that became a folder', { base: ['a'], work: { 'a/b': {} } }, ['deleted a', 'added a/b']],
    ['an ignored new file', { base: [], work: { a: { ignored: true } } }, 'none'],
    ['an ignored file of the base', { base: ['a'], work: { a: { ignored: true } } }, ['modified a']],
    ['a mode alone', { base: ['a'], work: { a: { id: OLD, mode: '100755' } } }, 'none'],
    [
      'a mode beside an edit',
      { base: ['a', 'b'], work: { a: { id: OLD, mode: '100755' }, b: {} } },
      ['modified a', 'modified b'],
    ],
    [
      'leftovers',
      { base: [], work: { 'a.orig': {}, core: {}, 'core.123': {}, 'x.pyc': {}, '.coverage': {} } },
      'none',
    ],
    ['a leftover that the base has', { base: ['a.orig'], work: { 'a.orig': {} } }, ['modified a.orig']],
    ['caches', { base: [], work: {}, caches: ['node_modules'] }, 'none'],
    ['a huge new file', { base: [], work: { big: { bytes: 200e6, id: null } } }, 'none'],
    [
      'a file of the base that grew huge',
      { base: ['big'], work: { big: { bytes: 200e6, id: null } } },
      'refused',
    ],
    ['a file of the base that grew too large', { base: ['big'], work: { big: { bytes: 1001 } } }, 'refused'],
    [
      'too much together',
      { base: [], work: { a: { bytes: 900 }, b: { bytes: 900 }, c: { bytes: 900 } } },
      'refused',
    ],
    ['too many files', { base: [], work: { a: {}, b: {}, c: {} }, filesChanged: 2 }, 'refused'],
    [
      'as many files as allowed',
      { base: [], work: { a: {}, b: {} }, filesChanged: 2 },
      ['added a', 'added b'],
    ],
    ['a lock file alone', { base: ['package-lock.json'], work: { 'package-lock.json': {} } }, 'none'],
    ['a new lock file beside an edit', { base: ['a'], work: { a: {}, 'yarn.lock': {} } }, ['modified a']],
    [
      'a lock file with its manifest',
      { base: ['package.json', 'package-lock.json'], work: { 'package.json': {}, 'package-lock.json': {} } },
      ['modified package-lock.json', 'modified package.json'],
    ],
    [
      'a lock file with the manifest of another tool',
      { base: ['package.json', 'poetry.lock'], work: { 'package.json': {}, 'poetry.lock': {} } },
      ['modified package.json'],
    ],
    ['a denied glob', { base: ['a/secret.txt'], work: { 'a/secret.txt': {} }, deny: ['a/*.txt'] }, 'refused'],
    ['a denied folder', { base: [], work: { 'infra/x/y.tf': {} }, deny: ['infra/'] }, 'refused'],
    [
      'a denied rooted folder',
      { base: [], work: { 'x/infra/y': {} }, deny: ['/infra'] },
      ['added x/infra/y'],
    ],
    ['a denied name anywhere', { base: [], work: { 'x/y/setup.py': {} }, deny: ['setup.py'] }, 'refused'],
    [
      'a denied name in other letters',
      { base: [], work: { 'x/SETUP.py': {} }, deny: ['setup.py'] },
      'refused',
    ],
    ['a denied deletion', { base: ['a', 'setup.py'], work: { a: 'same' }, deny: ['setup.py'] }, 'refused'],
    ['a denied dot file', { base: [], work: { 'x/.env': {} }, deny: ['**/.env'] }, 'refused'],
    [
      'a new file in a dot-folder at the top',
      { base: ['.vscode/a.json'], work: { '.vscode/a.json': 'same', '.vscode/b.json': {} } },
      'refused',
    ],
    [
      'a file of the base in a dot-folder at the top',
      { base: ['.vscode/a.json'], work: { '.vscode/a.json': {} } },
      ['modified .vscode/a.json'],
    ],
  ];
  for (const [name, input, expected] of table)
    it(name, () => assert.deepEqual(summary(judge(input)), expected));

  it('says what was left out and what a reviewer would overlook', () => {
    const judgement = judge({
      base: ['a', 'run.sh', 'poetry.lock'],
      work: {
        a: {},
        'run.sh': { mode: '100755' },
        'poetry.lock': {},
        'x.orig': {},
        big: { bytes: 1e9, id: null },
      },
      caches: ['node_modules', 'src/__pycache__'],
    });
    assert.deepEqual(judgement.kind === 'changed' && judgement.notes, [
      'made executable: "run.sh"',
      'left out, lock files changed though no manifest was: "poetry.lock"',
      'left out, too large: "big"',
      'left out, leftovers of tools: "x.orig"',
      'left out, caches: "node_modules", "src/__pycache__"',
    ]);
  });

  it('names each problem once, with its path and reason, and counts those beyond fifty', () => {
    const names = Array.from({ length: 70 }, (_, n) => `.github/${String(n).padStart(2, '0')}`);
    const judgement = judge({
      base: [],
      work: Object.fromEntries(names.map((name) => [name, {}])),
      filesChanged: 100,
    });
    assert.equal(judgement.kind, 'refused');
    assert.equal(judgement.problems.length, 51);
    assert.equal(judgement.problems[0], '".github/00" belongs to git or the forge');
    assert.equal(judgement.problems[50], 'and 20 more problems');
  });

  it('shows no raw control character of a name', () => {
    const judgement = judge({ base: [], work: { 'a\u001b[2Jb\nc': {} } });
    assert.equal(judgement.kind, 'refused');
    assert.ok(!/[\u0000-\u001f]/.test(judgement.problems.join('')));
  });
});
