/** Folders that tools fill by themselves. Not looked into unless the base has files below a folder of that name (E07). */
export const CACHE_FOLDERS: readonly string[] = [
  '__pycache__',
  'node_modules',
  'bower_components',
  '.venv',
  'venv',
  '.tox',
  '.nox',
  '.eggs',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.hypothesis',
  '.ipynb_checkpoints',
  '.cache',
  '.npm',
  '.pnpm-store',
  '.yarn',
  '.parcel-cache',
  '.turbo',
  '.next',
  '.nuxt',
  '.svelte-kit',
  '.gradle',
  '.bundle',
  '.nyc_output',
  '.idea',
  'coverage',
  'htmlcov',
];

/** The same by pattern, as `find -name` reads it. */
export const CACHE_FOLDER_PATTERNS: readonly string[] = ['*.egg-info', '*.dist-info'];

const RUBBISH_FILES: readonly RegExp[] = [
  /\.(pyc|pyo|orig|rej|swp|swo|swn|bak|tmp)$/i,
  /~$/,
  /^\.coverage(\..+)?$/,
  /^(coverage\.xml|lcov\.info|nohup\.out|\.DS_Store|Thumbs\.db|desktop\.ini)$/,
  /^(vg)?core(\.\d+)?$/,
  /^(npm|yarn|pnpm)-(debug|error)\.log.*$/,
  /^\.nfs[0-9a-f]+$/,
];

/** True for a new file that editors, test runners and crashes leave behind. `name` is the last part of the path. */
export function isRubbishFile(name: string): boolean {
  return RUBBISH_FILES.some((pattern) => pattern.test(name));
}

/** Lock file → the manifests that it is made from. */
const MANIFESTS: ReadonlyMap<string, RegExp> = new Map([
  ...['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'bun.lockb'].map(
    (lock) => [lock, /^(package\.json|pnpm-workspace\.yaml)$/] as const,
  ),
  ...['poetry.lock', 'uv.lock', 'pdm.lock', 'pylock.toml'].map(
    (lock) => [lock, /^pyproject\.toml$/] as const,
  ),
  ['Pipfile.lock', /^Pipfile$/],
  ['Cargo.lock', /^Cargo\.toml$/],
  ['Gemfile.lock', /^Gemfile$|\.gemspec$/],
  ['composer.lock', /^composer\.json$/],
  ['go.sum', /^go\.(mod|work)$/],
  ['mix.lock', /^mix\.exs$/],
  ['pubspec.lock', /^pubspec\.yaml$/],
  ['Podfile.lock', /^Podfile$/],
  ['flake.lock', /^flake\.nix$/],
  ['packages.lock.json', /\.(cs|fs|vb)proj$/],
]);

/** The manifests that belong to a lock file, by file name; null when the name is no lock file's. */
export function manifestsOf(name: string): RegExp | null {
  return MANIFESTS.get(name) ?? null;
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
