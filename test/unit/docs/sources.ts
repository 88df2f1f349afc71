import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the repository. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface SourceFile {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** TypeScript files below a folder of the repository. */
export function readSources(folder: string): readonly SourceFile[] {
  const paths = globSync(`${folder}/**/*.ts`, { cwd: ROOT }).sort();
  return paths.map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/** Files that are in the repository, or would be after `git add`; without what is only installed or built. */
export function listRepositoryFiles(): readonly string[] {
  const argv = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const output = execFileSync('git', argv, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return [...new Set(output.split('\0'))].filter((path) => path !== '' && existsSync(join(ROOT, path)));
}

const IMPORTS = [
  /^(?:import|export)\b[^'"`;]*?\bfrom\s*'([^']+)'/gm,
  /^import\s*'([^']+)'/gm,
  /\bimport\s*\(\s*'([^']+)'/g,
  /\bimport\.meta\.resolve\(\s*'([^']+)'/g,
  /\brequire(?:\.resolve)?\(\s*'([^']+)'/g,
];

/** What a file imports: paths under the root for our own files, else `node:…` or the package's name. */
export function importsOf({ path, text }: SourceFile): readonly string[] {
  const specifiers = IMPORTS.flatMap((pattern) => [...text.matchAll(pattern)].map(([, found = '']) => found));
  return specifiers.map((specifier) => {
    if (specifier.startsWith('.')) return posix.join(dirname(path), specifier);
    if (specifier.startsWith('node:')) return specifier;
    const [first = '', second] = specifier.split('/');
    return first.startsWith('@') ? `${first}/${second}` : first;
  });
}
