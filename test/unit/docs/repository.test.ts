import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { listRepositoryFiles, ROOT } from './sources.ts';

const TEXT = /\.(?:[cm]?[jt]s|json|md|ya?ml|sh|py|toml|txt)$|^(?:\.env\.example|\.npmrc|\.ci\/run|bin\/\w+)$/;
const files = listRepositoryFiles()
  .filter((path) => TEXT.test(path))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

/** Files with a place that matches, this one aside. */
function findFiles(pattern: RegExp, only: (path: string) => boolean = () => true): readonly string[] {
  const found = files.filter(({ path, text }) => only(path) && pattern.test(text));
  return found.map(({ path }) => path).filter((path) => path !== 'test/unit/docs/repository.test.ts');
}

/** Packages that this one wants beside it, imported by it alone. */
function peersOf(name: string): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')) as {
    peerDependencies?: Record<string, string>;
  };
  return Object.keys(manifest.peerDependencies ?? {});
}

describe('the repository', () => {
  test('names no folder of a machine that it was written on', () => {
    assert.deepEqual(findFiles(/(?<![\w.}-])\/(?:root|work|Users)\/[\w.]/), []);
  });

  test('names no package registry', () => {
    assert.deepEqual(
      findFiles(/registry\.(?:npmjs|yarnpkg)|npm\.pkg\.github|artifactory|nexus\/repository/i),
      [],
    );
  });

  test('has a lock file with hashes and without addresses, so that any registry will do', () => {
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { resolved?: string; integrity?: string }>;
    };
    const entries = Object.entries(packages).filter(([path]) => path !== '');
    assert.ok(entries.length > 100);
    assert.deepEqual(
      entries.filter(([, entry]) => entry.resolved !== undefined).map(([path]) => path),
      [],
    );
    assert.deepEqual(
      entries.filter(([, entry]) => !entry.integrity).map(([path]) => path),
      [],
    );
  });

  test('pins every direct dependency to one version', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
      string,
      Record<string, string>
    >;
    const all = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    assert.deepEqual(
      all.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version)),
      [],
    );
  });

  test('uses every dependency that it has', () => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      dependencies?: Record<string, string>;
    };
    const code = files
      .filter(({ path }) => /^(?:src|test|scripts)\//.test(path))
      .map(({ text }) => text)
      .join('\n');
    const peers = Object.keys(dependencies).flatMap(peersOf);
    const unused = Object.keys(dependencies).filter(
      (name) => !peers.includes(name) && !code.includes(`'${name}'`) && !code.includes(`'${name}/`),
    );
    assert.deepEqual(unused, []);
  });

  test('has executable launchers', () => {
    const modes = execFileSync('git', ['ls-files', '-s', 'bin/tadpole', '.ci/run'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    for (const line of modes.trim().split('\n').filter(Boolean)) assert.match(line, /^100755 /);
  });

  test('has no link to a file of its own that is not there', () => {
    const broken = files
      .filter(({ path }) => path.endsWith('.md') && !path.includes('fixtures/'))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/\]\((?!\w+:|#)([^)#\s]+)/g)]
          .map(([, target = '']) => join(path, '..', target))
          .filter(
            (target) =>
              !files.some(
                (file) => file.path === target || file.path.startsWith(`${target.replace(/\/$/, '')}/`),
              ),
          )
          .map((target) => `${path} → ${target}`),
      );
    assert.deepEqual(broken, []);
  });
});
