import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isRubbishFile, manifestsOf } from '../../../src/change/rubbish.ts';

describe('src/change/rubbish.ts', () => {
  it('knows what editors, runners and crashes leave behind', () => {
    for (const name of [
      'a.pyc',
      'a.orig',
      'a.REJ',
      '.a.swp',
      'a~',
      '.coverage',
      '.coverage.host.12',
      'core',
      'core.77',
      'vgcore.1',
      'lcov.info',
      '.DS_Store',
      'npm-debug.log',
      '.nfs00000000012',
    ])
      assert.ok(isRubbishFile(name), name);
  });

  it('leaves alone what only looks so', () => {
    for (const name of [
      'core.py',
      'core.ts',
      'scores',
      'original.txt',
      'orig',
      'pyc.md',
      'coverage.py',
      '.coveragerc',
      'reject.rs',
      'npm-debug.md',
      'encore',
    ])
      assert.ok(!isRubbishFile(name), name);
  });

  it('knows the manifest of a lock file by its whole name', () => {
    assert.ok(manifestsOf('package-lock.json')?.test('package.json'));
    assert.ok(!manifestsOf('package-lock.json')?.test('my-package.json'));
    assert.ok(manifestsOf('Gemfile.lock')?.test('x.gemspec'));
    assert.equal(manifestsOf('lock.json'), null);
  });
});
