import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bwrapArguments } from '../../../../src/sandbox/bubblewrap/bwrap-arguments.ts';

const plan = {
  folder: '/state/run.agent.0',
  limits: { memoryBytes: 1000 },
  argv: ['/bin/sh', '-s'],
  fds: { info: 4, block: 5, seccomp: 6, covers: [20] },
};
const root = {
  layout: { links: [{ target: 'usr/bin', at: '/bin' }], folders: ['/lib64'] },
  readOnlyPaths: [{ host: '/srv/venv', inside: '/opt/venv' }],
  path: '/usr/bin:/bin',
};

describe('src/sandbox/bubblewrap/bwrap-arguments.ts', () => {
  it('makes the whole list from plan and root', () => {
    assert.deepEqual(bwrapArguments(plan, root), [
      ...[
        '--unshare-user',
        '--disable-userns',
        '--unshare-pid',
        '--unshare-net',
        '--unshare-ipc',
        '--unshare-uts',
      ],
      ...['--unshare-cgroup', '--die-with-parent', '--new-session', '--as-pid-1', '--cap-drop', 'ALL'],
      ...['--uid', '1000', '--gid', '1000', '--hostname', 'sandbox'],
      ...['--clearenv', '--setenv', 'PATH', '/usr/bin:/bin', '--setenv', 'HOME', '/home/sandbox'],
      ...['--setenv', 'TMPDIR', '/tmp', '--setenv', 'LANG', 'C.UTF-8'],
      ...['--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin', '--ro-bind', '/lib64', '/lib64'],
      ...['--ro-bind-try', '/etc/ld.so.cache', '/etc/ld.so.cache'],
      ...['--ro-bind-try', '/etc/ld.so.conf', '/etc/ld.so.conf'],
      ...['--ro-bind-try', '/etc/ld.so.conf.d', '/etc/ld.so.conf.d'],
      ...['--ro-bind-try', '/etc/alternatives', '/etc/alternatives'],
      ...['--ro-bind-try', '/etc/ssl/certs', '/etc/ssl/certs'],
      ...['--ro-bind-try', '/etc/ssl/openssl.cnf', '/etc/ssl/openssl.cnf'],
      ...['--ro-bind-try', '/etc/pki/tls/certs', '/etc/pki/tls/certs'],
      ...['--ro-bind-try', '/etc/pki/ca-trust/extracted', '/etc/pki/ca-trust/extracted'],
      ...['--ro-bind-try', '/etc/crypto-policies', '/etc/crypto-policies'],
      ...['--ro-bind', '/srv/venv', '/opt/venv'],
      ...['--proc', '/proc', '--dev', '/dev', '--size', '500', '--perms', '1777', '--tmpfs', '/dev/shm'],
      ...['--ro-bind', '/state/run.agent.0/etc/passwd', '/etc/passwd'],
      ...['--ro-bind', '/state/run.agent.0/etc/group', '/etc/group'],
      ...['--ro-bind', '/state/run.agent.0/etc/hosts', '/etc/hosts'],
      ...['--ro-bind', '/state/run.agent.0/etc/nsswitch.conf', '/etc/nsswitch.conf'],
      ...['--ro-bind', '/state/run.agent.0/etc/resolv.conf', '/etc/resolv.conf'],
      ...['--bind', '/state/run.agent.0/workspace', '/workspace'],
      ...['--bind', '/state/run.agent.0/tadpole', '/tadpole'],
      ...['--bind', '/state/run.agent.0/home', '/home/sandbox'],
      ...['--bind', '/state/run.agent.0/tmp', '/tmp'],
      ...['--symlink', '/tmp', '/var/tmp', '--dir', '/run', '--remount-ro', '/dev', '--remount-ro', '/'],
      ...['--chdir', '/workspace', '--seccomp', '6', '--info-fd', '4', '--args', '20', '--block-fd', '5'],
      ...['--', '/bin/sh', '-s'],
    ]);
  });

  it('names no block descriptor where there is none', () => {
    const args = bwrapArguments({ ...plan, fds: { ...plan.fds, block: null } }, root);
    assert.equal(args.includes('--block-fd'), false);
  });
});
