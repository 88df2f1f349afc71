import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeChange } from '../../src/change/judge.ts';
import {
  type ChangeRules,
  DEFAULT_CHANGE_CAPS,
  type FoundFile,
  type Listing,
} from '../../src/change/types.ts';
import type { Tree, TreeEntry } from '../../src/git/tree.ts';
import { HOSTILE_PATHS } from '../fixtures/hostile-names.ts';
import { REAL_PATHS, SHELL_NAMES } from '../fixtures/names.ts';

const ID = 'a'.repeat(40);
const NEW_ID = 'b'.repeat(40);
const RULES: ChangeRules = {
  policy: { paths: { deny: [] }, limits: { filesChanged: 100 } },
  caps: DEFAULT_CHANGE_CAPS,
};
const bytePath = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
const file = (changes: Partial<FoundFile> = {}): FoundFile => ({
  mode: '100644',
  bytes: 1,
  id: NEW_ID,
  ignored: false,
  ...changes,
});
const entry = (changes: Partial<TreeEntry> = {}): TreeEntry => ({
  mode: '100644',
  id: ID,
  bytes: 1,
  ...changes,
});
const tree = (...entries: [string, TreeEntry][]): Tree =>
  new Map(entries.map(([path, value]) => [bytePath(path), value]));
const listing = (...files: [string, FoundFile][]): Listing => ({
  files: new Map(files.map(([path, value]) => [bytePath(path), value])),
  caches: [],
  nestedRepositories: [],
});
const BASE = tree(['README', entry()], ['src/x.ts', entry()]);
const UNCHANGED = [
  ['README', file({ id: ID })],
  ['src/x.ts', file({ id: ID })],
] as [string, FoundFile][];

describe('src/change/judge.ts: hostile trees (T10, T31)', () => {
  it(`refuses each of ${HOSTILE_PATHS.length} hostile paths with a reason`, () => {
    assert.ok(HOSTILE_PATHS.length >= 200);
    const accepted = HOSTILE_PATHS.filter((path) => {
      const judgement = judgeChange(BASE, listing(...UNCHANGED, [path, file()]), RULES);
      return judgement.kind !== 'refused' || judgement.problems.some((problem) => problem.length < 10);
    });
    assert.deepEqual(accepted, []);
  });

  it('refuses changing and deleting what is protected, though the base has it', () => {
    for (const path of [
      '.github/workflows/ci.yml',
      '.gitignore',
      'Jenkinsfile',
      'CODEOWNERS',
      'AGENTS.md',
      '.tadpole.yml',
    ]) {
      const base = tree([path, entry()], ['a', entry()]);
      for (const files of [
        listing([path, file()], ['a', file({ id: ID })]),
        listing(['a', file({ id: ID })]),
      ])
        assert.equal(judgeChange(base, files, RULES).kind, 'refused', path);
    }
  });

  it('accepts real names, alone and all together', () => {
    for (const path of REAL_PATHS)
      assert.equal(
        judgeChange(BASE, listing(...UNCHANGED.slice(1), [path, file()]), RULES).kind,
        'changed',
        path,
      );
    const all = listing(
      ...UNCHANGED.slice(1),
      ...REAL_PATHS.map((path) => [path, file()] as [string, FoundFile]),
    );
    assert.equal(judgeChange(BASE, all, RULES).kind, 'changed');
  });

  it('takes names that only shells trip over as the names that they are', () => {
    for (const path of SHELL_NAMES)
      assert.equal(
        judgeChange(BASE, listing(...UNCHANGED, [`d/${path}`, file()]), RULES).kind,
        'changed',
        path,
      );
  });

  it('refuses symbolic links, new, changed, or turned into files, and accepts their deletion', () => {
    const base = tree(['link', entry({ mode: '120000' })], ['a', entry()]);
    const rest = ['a', file({ id: ID })] as [string, FoundFile];
    const link = (id: string) => file({ mode: '120000', id });
    const cases: [Listing, string][] = [
      [listing(rest, ['link', link(ID)], ['new', link(NEW_ID)]), 'refused'],
      [listing(rest, ['link', link(NEW_ID)]), 'refused'],
      [listing(rest, ['link', file()]), 'refused'],
      [listing(['a', link(NEW_ID)], ['link', link(ID)]), 'refused'],
      [listing(rest), 'changed'],
    ];
    for (const [files, kind] of cases) assert.equal(judgeChange(base, files, RULES).kind, kind);
  });

  it('refuses files in a submodule and leaves the submodule itself alone', () => {
    const base = tree(['sub', entry({ mode: '160000' })], ['a', entry()]);
    assert.equal(judgeChange(base, listing(['a', file()]), RULES).kind, 'changed');
    assert.equal(judgeChange(base, listing(['a', file({ id: ID })]), RULES).kind, 'none');
    assert.equal(
      judgeChange(base, listing(['a', file({ id: ID })], ['sub/x', file()]), RULES).kind,
      'refused',
    );
    assert.equal(judgeChange(base, listing(['a', file({ id: ID })], ['sub', file()]), RULES).kind, 'refused');
  });

  it('refuses names that fold to a name that is there, also by folder', () => {
    for (const path of ['readme', 'ReadMe', 'SRC/y.ts', 'Src/x.ts', 'src/X.ts', 'ſrc/z.ts'])
      assert.equal(judgeChange(BASE, listing(...UNCHANGED, [path, file()]), RULES).kind, 'refused', path);
    const twins = listing(...UNCHANGED, ['strasse', file()], ['STRASSE', file()]);
    assert.equal(judgeChange(BASE, twins, RULES).kind, 'refused');
    // A rename in case alone leaves no pair behind.
    const renamed = listing(['readme', file()], ['src/x.ts', file({ id: ID })]);
    assert.equal(judgeChange(BASE, renamed, RULES).kind, 'changed');
  });

  it('refuses folders that git would take for a repository (T20)', () => {
    const layouts = [
      ['x.git/HEAD', 'x.git/objects/a', 'x.git/refs/b', 'x.git/config'],
      ['HEAD', 'objects/a', 'refs/b'],
      ['deep/down/HEAD', 'deep/down/objects/pack/p', 'deep/down/config'],
      ['case/head', 'case/Objects/a', 'case/REFS/b'],
      ['refs/objects/HEAD', 'refs/objects/refs/x'],
    ];
    for (const layout of layouts) {
      const files = listing(...UNCHANGED, ...layout.map((path) => [path, file()] as [string, FoundFile]));
      assert.equal(judgeChange(BASE, files, RULES).kind, 'refused', layout[0]);
    }
    const base = tree(['t/x.git/HEAD', entry()], ['t/x.git/objects/a', entry()], ['a', entry()]);
    const same = [
      ['t/x.git/HEAD', file({ id: ID })],
      ['t/x.git/objects/a', file({ id: ID })],
    ] as [string, FoundFile][];
    assert.equal(judgeChange(base, listing(...same, ['a', file()]), RULES).kind, 'changed');
    const touched = listing(...same, ['a', file({ id: ID })], ['t/x.git/config', file()]);
    assert.equal(judgeChange(base, touched, RULES).kind, 'refused');
  });

  it('refuses a name whose bytes are no text, and takes one that the base has', () => {
    const odd = 'caf\xe9.txt';
    const rest = { caches: [], nestedRepositories: [] };
    const files = new Map([
      ['README', file({ id: ID })],
      ['src/x.ts', file({ id: ID })],
      [odd, file()],
    ]);
    assert.equal(judgeChange(BASE, { files, ...rest }, RULES).kind, 'refused');
    const base = new Map([...BASE, [odd, entry()]]);
    const unchanged = new Map([...files, [odd, file({ id: ID })], ['README', file()]]);
    assert.equal(judgeChange(base, { files: unchanged, ...rest }, RULES).kind, 'changed');
  });
});
