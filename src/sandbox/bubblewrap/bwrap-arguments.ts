import type { SandboxLimits } from '../types.ts';
import { SCRATCH, WORKSPACE } from '../types.ts';
import { HOME, type ReadOnlyPath } from './config.ts';
import type { SystemLayout } from './host/system-layout.ts';

/** The user inside. Its identity outside is an unprivileged one too (host/host-user.ts). */
export const INSIDE_UID = 1000;
export const INSIDE_GID = 1000;

/** What of the machine every sandbox sees. */
export interface RootPlan {
  readonly layout: SystemLayout;
  readonly readOnlyPaths: readonly ReadOnlyPath[];
  readonly path: string;
}

/** The namespaces of one call in one sandbox, as far as bubblewrap is concerned. */
export interface CallPlan {
  /** Host folder that holds the sandbox's own folders (host/sandbox-folder.ts). */
  readonly folder: string;
  readonly limits: Pick<SandboxLimits, 'memoryBytes'>;
  /** Program with arguments, put at the end as it is. */
  readonly argv: readonly string[];
  readonly fds: {
    readonly info: number;
    readonly block: number | null;
    readonly seccomp: number;
    /** Empty files that stand where a stray descriptor would be inherited (host/inherited-files.ts). */
    readonly covers: readonly number[];
  };
}

/** Generated files, so that nothing of the host's accounts, names or resolvers shows. */
export const ETC_FILES = ['passwd', 'group', 'hosts', 'nsswitch.conf', 'resolv.conf'] as const;

/** Parts of the host's /etc that programs need and that tell nothing; each only where it exists. */
const ETC_FROM_HOST = [
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/alternatives',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/pki/tls/certs',
  '/etc/pki/ca-trust/extracted',
  '/etc/crypto-policies',
];

const ISOLATION = [
  '--unshare-user',
  // A second user namespace with a limit of none below it: what seccomp might miss, the kernel refuses.
  '--disable-userns',
  '--unshare-pid',
  '--unshare-net',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup',
  '--die-with-parent',
  '--new-session',
  // The call script is PID 1: when it ends the kernel ends the whole namespace *before* bwrap can exit, so that a call
  // that has ended has no process left. It also can't be killed from inside.
  '--as-pid-1',
  ...['--cap-drop', 'ALL'],
  ...['--uid', String(INSIDE_UID), '--gid', String(INSIDE_GID)],
  ...['--hostname', 'sandbox'],
];

function systemMounts({ layout, readOnlyPaths }: RootPlan): string[] {
  return [
    ...['--ro-bind', '/usr', '/usr'],
    ...layout.links.flatMap(({ target, at }) => ['--symlink', target, at]),
    ...layout.folders.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...ETC_FROM_HOST.flatMap((path) => ['--ro-bind-try', path, path]),
    ...readOnlyPaths.flatMap(({ host, inside }) => ['--ro-bind', host, inside]),
  ];
}

function ownMounts({ folder, limits }: CallPlan): string[] {
  return [
    ...['--proc', '/proc'],
    ...['--dev', '/dev'],
    ...['--size', String(Math.floor(limits.memoryBytes / 2)), '--perms', '1777', '--tmpfs', '/dev/shm'],
    ...ETC_FILES.flatMap((name) => ['--ro-bind', `${folder}/etc/${name}`, `/etc/${name}`]),
    ...['--bind', `${folder}/workspace`, WORKSPACE],
    ...['--bind', `${folder}/tadpole`, SCRATCH],
    ...['--bind', `${folder}/home`, HOME],
    ...['--bind', `${folder}/tmp`, '/tmp'],
    ...['--symlink', '/tmp', '/var/tmp'],
    ...['--dir', '/run'],
    // The root and /dev are memory file systems of the sandbox's own: read-only, or they would be a way around limits.
    ...['--remount-ro', '/dev'],
    ...['--remount-ro', '/'],
  ];
}

function environment(path: string): string[] {
  const own = { PATH: path, HOME, TMPDIR: '/tmp', LANG: 'C.UTF-8' };
  return ['--clearenv', ...Object.entries(own).flatMap(([name, value]) => ['--setenv', name, value])];
}

/**
 * The complete argument list of one `bwrap` invocation (0.8 or later). Pure: the same plan gives the same list. What a call
 * brings itself (argv, environment, folder) is not in it: that goes to the shell inside (call/call-script.ts).
 */
export function bwrapArguments(plan: CallPlan, root: RootPlan): string[] {
  const { info, block, seccomp, covers } = plan.fds;
  return [
    ...ISOLATION,
    ...environment(root.path),
    ...systemMounts(root),
    ...ownMounts(plan),
    ...['--chdir', WORKSPACE],
    ...['--seccomp', String(seccomp), '--info-fd', String(info)],
    // Arguments read from an empty file are none; what matters is that bwrap closes what it has read.
    ...covers.flatMap((fd) => ['--args', String(fd)]),
    ...(block === null ? [] : ['--block-fd', String(block)]),
    '--',
    ...plan.argv,
  ];
}
