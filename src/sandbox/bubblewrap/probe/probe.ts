import { once } from 'node:events';
import { readlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir, networkInterfaces } from 'node:os';
import type { Isolation } from '../../types.ts';
import { SCRATCH, WORKSPACE } from '../../types.ts';
import { bwrapArguments } from '../bwrap-arguments.ts';
import type { Cell } from '../cell.ts';
import { HOME } from '../config.ts';
import type { RunOwnCall } from '../transfer.ts';
import { judgeFacts, type Outside } from './judge-facts.ts';
import { expectedMounts, parseFacts, probeArgv } from './probe-script.ts';

const TIMEOUT_MS = 120_000;
const KEEP = { headBytes: 128 * 1024, tailBytes: 0 };

const INTERNET = ['tcp/1.1.1.1/443', 'tcp/8.8.8.8/53', 'udp/9.9.9.9/53', 'tcp/2606:4700:4700::1111/443'];
const METADATA = ['tcp/169.254.169.254/80', 'tcp/169.254.170.2/80', 'tcp/fd00:ec2::254/80'];
/** Reserved for documentation, and looked up only. */
const NAME_LOOKUP = 'tcp/example.com/80';
const SSH = 22;

const HOST_PATHS = [
  ...['/root', '/boot', '/sys/kernel', '/lost+found', '/etc/shadow', '/etc/machine-id', '/etc/ssh'],
  ...[
    '/run/docker.sock',
    '/var/run/docker.sock',
    '/run/containerd',
    '/run/podman',
    '/run/systemd',
    '/run/dbus',
  ],
  ...['/var/lib', '/var/log', '/dev/kmsg', '/dev/mem', '/dev/kvm', '/dev/fuse', '/dev/net'],
];

/** Folders in which the sandbox may have made any name itself, so that a name there says nothing. */
const OWN_FOLDERS = [WORKSPACE, SCRATCH, HOME, '/tmp', '/var/tmp'];

/** Paths of this machine that a sandbox must not see; those that lie where it has something by plan are left out. */
function hiddenPaths({ machine }: Cell): string[] {
  const byPlan = [...OWN_FOLDERS, '/usr', ...machine.root.readOnlyPaths.map(({ inside }) => inside)];
  const isByPlan = (path: string) =>
    byPlan.some((place) => path === place || path.startsWith(`${place}/`) || place.startsWith(`${path}/`));
  return [...HOST_PATHS, homedir(), process.cwd(), machine.stateDir].filter(
    (path) => path !== '/' && !isByPlan(path),
  );
}

function hostConnections(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outer = addresses.filter(({ internal, scopeid }) => !internal && !scopeid);
  return outer.map(({ address }) => `tcp/${address}/${SSH}`);
}

async function readNamespaces(): Promise<Map<string, string>> {
  const kinds = ['user', 'pid', 'net', 'ipc', 'uts', 'mnt', 'cgroup'];
  const links = kinds.map(async (kind) => [kind, await readlink(`/proc/self/ns/${kind}`)] as const);
  return new Map(await Promise.all(links));
}

/** Listens on this process's loopback while `use` runs: a connection from inside would prove a shared network. */
async function withListener<T>(use: (connection: string) => Promise<T>): Promise<T> {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  try {
    return await use(`tcp/127.0.0.1/${typeof address === 'object' ? address?.port : 0}`);
  } finally {
    server.close();
  }
}

async function probeWith(run: RunOwnCall, outside: Outside, rest: { paths: string[]; signal: AbortSignal }) {
  const { internet, metadata, hostAddresses, hostLoopback, nameLookup } = outside;
  const connections = [...internet, ...metadata, ...hostAddresses, hostLoopback, nameLookup];
  const argv = probeArgv({ connections, paths: rest.paths });
  return await run({ argv, timeoutMs: TIMEOUT_MS, keep: KEEP }, { signal: rest.signal });
}

/** Looks at the isolation from inside and compares with what this process sees out here. */
export async function probeIsolation(
  run: RunOwnCall,
  cell: Cell,
  { signal }: { readonly signal: AbortSignal },
): Promise<Isolation> {
  const { folder, limits, machine } = cell;
  // The plan as it should be, not as a test may have altered it.
  const planned = bwrapArguments(
    { folder, limits, argv: [], fds: { info: 0, block: null, seccomp: 0, covers: [] } },
    machine.root,
  );
  return await withListener(async (hostLoopback) => {
    const outside: Outside = {
      namespaces: await readNamespaces(),
      internet: INTERNET,
      metadata: METADATA,
      hostAddresses: hostConnections(),
      hostLoopback,
      nameLookup: NAME_LOOKUP,
      mounts: expectedMounts(planned),
    };
    const result = await probeWith(run, outside, { paths: hiddenPaths(cell), signal });
    const facts =
      result.exitCode === 0 ? parseFacts(Buffer.from(result.stdout.head).toString('utf8')) : new Map();
    const findings = judgeFacts(facts, outside);
    return { isolated: findings.every(({ closed }) => closed), findings };
  });
}
