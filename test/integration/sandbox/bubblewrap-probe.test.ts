import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type BubblewrapCheck, judgeFacts } from '../../../src/sandbox/bubblewrap/probe/judge-facts.ts';
import { parseFacts, probeArgv } from '../../../src/sandbox/bubblewrap/probe/probe-script.ts';
import { never, openBubblewrap } from '../../fakes/sandboxes.ts';

const execFileAsync = promisify(execFile);

/** The arguments without an option and its values. */
function without(option: string, values = 0) {
  return (args: string[]): string[] => {
    const at = args.indexOf(option);
    assert.ok(at >= 0, `${option} is there to be taken away`);
    return args.toSpliced(at, 1 + values);
  };
}

function replace(option: string, value: string) {
  return (args: string[]) => args.toSpliced(args.indexOf(option) + 1, 1, value);
}

const before =
  (option: string, ...added: string[]) =>
  (args: string[]) =>
    args.toSpliced(args.indexOf(option), 0, ...added);

const all =
  (...steps: ((args: string[]) => string[])[]) =>
  (args: string[]) =>
    steps.reduce((altered, step) => step(altered), args);

const NO_FILTER = without('--seccomp', 1);

interface Case {
  readonly title: string;
  readonly alter: (args: string[]) => string[];
  readonly open: readonly BubblewrapCheck[];
}

const CASES: readonly Case[] = [
  { title: 'the plan as it is', alter: (args) => args, open: [] },
  {
    title: 'a shared network',
    alter: without('--unshare-net'),
    open: ['network_interfaces', 'host_loopback', 'namespaces'],
  },
  { title: 'a shared ipc namespace', alter: without('--unshare-ipc'), open: ['namespaces'] },
  {
    title: 'a shared uts namespace',
    alter: all(without('--hostname', 1), without('--unshare-uts')),
    open: ['namespaces'],
  },
  { title: 'a shared cgroup namespace', alter: without('--unshare-cgroup'), open: ['namespaces'] },
  {
    title: 'processes of the machine in sight',
    alter: all(without('--unshare-pid'), without('--as-pid-1'), (args) =>
      args.toSpliced(args.indexOf('--proc'), 2, '--ro-bind', '/proc', '/proc'),
    ),
    open: ['namespaces', 'processes'],
  },
  {
    title: 'a folder of the machine',
    alter: before('--proc', '--ro-bind', '/boot', '/boot'),
    open: ['host_paths', 'mounts'],
  },
  {
    title: 'a variable of ours',
    alter: before('--ro-bind', '--setenv', 'HOST_TOKEN', 'x'),
    open: ['environment'],
  },
  { title: 'user 0', alter: replace('--uid', '0'), open: ['user'] },
  {
    title: 'capabilities',
    alter: (args) => args.toSpliced(args.indexOf('--cap-drop'), 1, '--cap-add'),
    open: ['capabilities'],
  },
  {
    title: 'no system call filter, and its file left open',
    alter: NO_FILTER,
    open: ['system_call_filter', 'open_files'],
  },
  { title: 'user namespaces refused by the filter alone', alter: without('--disable-userns'), open: [] },
  {
    title: 'user namespaces refused by nobody',
    alter: all(NO_FILTER, without('--disable-userns')),
    open: ['nested_namespaces', 'system_call_filter'],
  },
  {
    title: 'a root that can be written',
    alter: (args) => args.toSpliced(args.lastIndexOf('--remount-ro'), 2),
    open: ['read_only_root'],
  },
];

describe('src/sandbox/bubblewrap/probe', () => {
  for (const { title, alter, open } of CASES) {
    it(`${title}: ${open.join(', ') || 'all closed'}`, async () => {
      const world = await openBubblewrap({}, { alterArguments: alter });
      try {
        const sandbox = await world.create();
        const { isolated, findings } = await sandbox.probe({ signal: never() });
        const found: string[] = findings.filter(({ closed }) => !closed).map(({ check }) => check);
        assert.deepEqual(
          open.filter((check) => !found.includes(check)),
          [],
          JSON.stringify(findings, null, 1),
        );
        assert.equal(isolated, open.length === 0, found.join(', '));
      } finally {
        await world.close();
      }
    });
  }

  it('as root of the machine nearly everything is open', { skip: process.getuid?.() !== 0 }, async () => {
    const argv = probeArgv({ connections: [], paths: ['/root', '/etc/shadow'] });
    const bare = ['--ro-bind', '/', '/', '--dev-bind', '/proc', '/proc', '--dev-bind', '/dev', '/dev'];
    const { stdout } = await execFileAsync('/usr/bin/bwrap', [...bare, '--', ...argv], {
      env: { PATH: '/usr/bin:/bin', X: '1' },
    });
    const nothing = { internet: [], metadata: [], hostAddresses: [], hostLoopback: 'x', nameLookup: 'x' };
    const findings = judgeFacts(parseFacts(stdout), { ...nothing, namespaces: new Map(), mounts: new Set() });
    const open = findings.filter(({ closed }) => !closed).map(({ check }) => check);
    const expected: BubblewrapCheck[] = ['host_paths', 'kernel_settings', 'user', 'environment', 'mounts'];
    assert.deepEqual(
      expected.filter((check) => !open.includes(check)),
      [],
      JSON.stringify(findings, null, 1),
    );
  });
});
