import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { withLock } from './lock.mjs';
import { Trouble } from './trouble.mjs';

const EXPECTED_NODE = 24;

/** Installs the packages of package-lock.json unless they are there already. Quiet unless there is something to do. */
export async function ensureDependencies(root) {
  if (isInstalled(root)) return;
  const onWait = (pid) => say(`waiting for another set-up (process ${pid})`);
  await withLock(join(root, '.tadpole', 'setup.lock'), onWait, () => {
    if (isInstalled(root)) return;
    say('installing packages (npm ci); this happens once');
    installPackages(root);
    assertNode(root);
  });
}

/** What was installed is at least as new as the lock file, or the same to the letter, and Node's binary is there. */
export function isInstalled(root) {
  const wanted = join(root, 'package-lock.json');
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installed) || !existsSync(nodeOf(root))) return false;
  if (statSync(installed).mtimeMs >= statSync(wanted).mtimeMs) return true;
  if (!isSameSet(readPackages(wanted), readPackages(installed))) return false;
  // A switch of branches touches the lock file without changing it: remember that it was compared.
  const now = new Date();
  utimesSync(installed, now, now);
  return true;
}

/** The project's own Node, wherever the clone lies. */
export function nodeOf(root) {
  return join(root, 'node_modules', '.bin', 'node');
}

function readPackages(file) {
  const { packages = {} } = JSON.parse(readFileSync(file, 'utf8'));
  return new Map(Object.entries(packages).filter(([path]) => path !== ''));
}

/** Optional packages for other platforms are in the lock file and rightly not installed. */
function isSameSet(wanted, installed) {
  for (const [path, entry] of installed) if (wanted.get(path)?.integrity !== entry.integrity) return false;
  for (const [path, entry] of wanted) if (!installed.has(path) && !entry.optional) return false;
  return true;
}

function installPackages(root) {
  const result = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--include=dev'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: pathWithout(join(root, 'node_modules')), NODE_ENV: '' },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (result.error) throw new Trouble(`npm could not be started: ${result.error.message}`);
  if (result.status === 0) return;
  throw new Trouble(
    `${result.stdout}${result.stderr}\nnpm ci failed (${describeEnd(result)}); its output is above.`,
  );
}

/** npm must not run under the very Node that it is about to remove and install. */
function pathWithout(folder) {
  const entries = (process.env.PATH ?? '').split(delimiter);
  return entries.filter((entry) => !entry.startsWith(folder)).join(delimiter);
}

function assertNode(root) {
  const { stdout } = spawnSync(nodeOf(root), ['--version'], { encoding: 'utf8' });
  if (stdout?.startsWith(`v${EXPECTED_NODE}.`)) return;
  throw new Trouble(
    `Node ${EXPECTED_NODE} was not installed: npm did not run the install script of the package \`node\`.\n` +
      'Look at `npm config get ignore-scripts` (it must be false here), then run: npm ci --ignore-scripts=false',
  );
}

function describeEnd({ status, signal }) {
  return signal ? `ended by ${signal}` : `exit code ${status}`;
}

function say(text) {
  process.stderr.write(`set-up: ${text}\n`);
}
