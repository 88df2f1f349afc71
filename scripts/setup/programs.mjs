import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Trouble } from './trouble.mjs';

const POSTGRES_FOLDER = '/usr/lib/postgresql';

/** What Tadpole runs beside Node: for what purpose, how to see that it is there, and what its package is called where. */
export const PROGRAMS = [
  {
    name: 'git 2.34 or newer',
    purposes: ['run'],
    isThere: () => isAtLeast(outputOf('git', ['--version']), [2, 34]),
    packages: { debian: 'git', fedora: 'git', arch: 'git' },
  },
  {
    name: 'bubblewrap',
    purposes: ['run'],
    isThere: () => outputOf('bwrap', ['--version']) !== null,
    packages: { debian: 'bubblewrap', fedora: 'bubblewrap', arch: 'bubblewrap' },
  },
  {
    name: 'Python 3 with pytest',
    purposes: ['sample', 'tests'],
    isThere: () => outputOf('/usr/bin/python3', ['-c', 'import pytest']) !== null,
    packages: { debian: 'python3-pytest', fedora: 'python3-pytest', arch: 'python-pytest' },
  },
  {
    name: 'redis-server',
    purposes: ['tests'],
    isThere: () => outputOf('redis-server', ['--version']) !== null,
    packages: { debian: 'redis-server', fedora: 'redis', arch: 'valkey' },
  },
  {
    name: 'the PostgreSQL server',
    purposes: ['tests'],
    isThere: () => outputOf('postgres', ['--version']) !== null || hasDebianPostgres(),
    packages: { debian: 'postgresql', fedora: 'postgresql-server', arch: 'postgresql' },
  },
];

/** Debian keeps the server's programs out of PATH, one folder for each version. */
function hasDebianPostgres() {
  if (!existsSync(POSTGRES_FOLDER)) return false;
  return readdirSync(POSTGRES_FOLDER).some((version) =>
    existsSync(`${POSTGRES_FOLDER}/${version}/bin/postgres`),
  );
}

/**
 * Checks the programs that these purposes want; installs them where that is safe to do, else says what to type.
 * `mayInstall`: root on Debian or a relative of it, where apt-get needs no further question.
 */
export function ensurePrograms(purposes, mayInstall = process.getuid?.() === 0 && isDebian()) {
  const missing = findMissing(purposes);
  if (missing.length === 0) return;
  if (process.platform !== 'linux') {
    throw new Trouble(
      'Tadpole runs on Linux only: its sandboxes are made of Linux namespaces. A Linux VM or WSL 2 will do.',
    );
  }
  if (mayInstall) installWithApt(missing);
  const still = findMissing(purposes);
  if (still.length > 0) throw new Trouble(describeMissing(still));
}

function findMissing(purposes) {
  return PROGRAMS.filter(
    (program) => program.purposes.some((each) => purposes.includes(each)) && !program.isThere(),
  );
}

function isDebian() {
  if (!existsSync('/etc/os-release')) return false;
  const lines = readFileSync('/etc/os-release', 'utf8').split('\n');
  return lines.some((line) => /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/.test(line));
}

function installWithApt(missing) {
  const packages = missing.map((program) => program.packages.debian);
  process.stderr.write(`set-up: installing ${packages.join(', ')} (apt-get); this happens once\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const steps = [
    ['update', '-q'],
    ['install', '-y', '-q', '--no-install-recommends', ...packages],
  ];
  for (const step of steps) {
    const result = spawnSync('apt-get', step, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'pipe'] });
    if (result.status === 0) continue;
    throw new Trouble(`${result.stdout ?? ''}${result.stderr ?? ''}\n${describeMissing(missing)}`);
  }
}

/** One command for each family of distributions, to be typed as it stands. */
export function describeMissing(missing) {
  const list = (family) => missing.map((program) => program.packages[family]).join(' ');
  return [
    `Missing on this machine: ${missing.map((program) => program.name).join(', ')}. Install with one of:`,
    `  Debian, Ubuntu   sudo apt-get install -y ${list('debian')}`,
    `  Fedora           sudo dnf install -y ${list('fedora')}`,
    `  Arch             sudo pacman -S --needed --noconfirm ${list('arch')}`,
  ].join('\n');
}

/** Standard output of a program that ended well, else null. */
function outputOf(program, argv) {
  const result = spawnSync(program, argv, { encoding: 'utf8' });
  return result.status === 0 ? result.stdout : null;
}

/** Whether the first dotted number in a text is such a version or a later one. */
export function isAtLeast(text, [major, minor]) {
  const found = /(\d+)\.(\d+)/.exec(text ?? '');
  if (!found) return false;
  const [foundMajor, foundMinor] = [Number(found[1]), Number(found[2])];
  return foundMajor > major || (foundMajor === major && foundMinor >= minor);
}
