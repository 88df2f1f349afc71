import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeFacts } from '../../../../../src/sandbox/bubblewrap/probe/judge-facts.ts';
import { parseFacts } from '../../../../../src/sandbox/bubblewrap/probe/probe-script.ts';

const NO_ROUTE = 'bash: line 1: /dev/tcp/x: Network is unreachable';
const ZERO = '0000000000000000';

const CLOSED: Readonly<Record<string, string>> = {
  interfaces: 'lo',
  routes: '',
  sockets: '0',
  'attempt net': NO_ROUTE,
  'attempt meta': NO_ROUTE,
  'attempt host': NO_ROUTE,
  'attempt loop': 'bash: connect: Connection refused',
  'attempt name': 'bash: example.com: Temporary failure in name resolution',
  'namespace net': 'net:[2]',
  paths: '',
  'mount /': 'ro,nosuid,nodev',
  files: '0 1 2 3',
  environment: 'HOME LANG PATH PWD TMPDIR',
  processes: '4',
  'status Uid': '1000 1000 1000 1000',
  'status Gid': '1000 1000 1000 1000',
  'status Groups': '',
  'status CapInh': ZERO,
  'status CapPrm': ZERO,
  'status CapEff': ZERO,
  'status CapBnd': ZERO,
  'status CapAmb': ZERO,
  'status NoNewPrivs': '1',
  'status Seccomp': '2',
  nested: 'refused',
  settings: '',
  writable: '',
};

const OUTSIDE = {
  namespaces: new Map([['net', 'net:[1]']]),
  internet: ['net'],
  metadata: ['meta'],
  hostAddresses: ['host'],
  hostLoopback: 'loop',
  nameLookup: 'name',
  mounts: new Set(['/']),
};

function openChecks(facts: Readonly<Record<string, string>>): string[] {
  const findings = judgeFacts(new Map(Object.entries(facts)), OUTSIDE);
  return findings.filter(({ closed }) => !closed).map(({ check }) => check);
}

const CASES: readonly (readonly [check: string, fact: string, value: string])[] = [
  ['network_interfaces', 'interfaces', 'lo eth0'],
  ['network_interfaces', 'interfaces', ''],
  ['network_routes', 'routes', 'eth0'],
  ['network_sockets', 'sockets', '3'],
  ['internet', 'attempt net', 'connected'],
  ['internet', 'attempt net', 'bash: connect: Connection refused'],
  ['internet', 'attempt net', ''],
  ['metadata_service', 'attempt meta', 'connected'],
  ['host_addresses', 'attempt host', 'bash: connect: Connection refused'],
  ['host_loopback', 'attempt loop', 'connected'],
  ['name_resolution', 'attempt name', 'bash: connect: Network is unreachable'],
  ['namespaces', 'namespace net', 'net:[1]'],
  ['namespaces', 'namespace net', ''],
  ['host_paths', 'paths', '/root'],
  ['mounts', 'mount /srv', 'ro,nosuid'],
  ['mounts', 'mount /', 'rw,nodev'],
  ['open_files', 'files', '0 1 2 20 3'],
  ['environment', 'environment', 'HOME PATH TOKEN'],
  ['processes', 'processes', '40'],
  ['processes', 'processes', ''],
  ['user', 'status Uid', '1000 0 1000 1000'],
  ['user', 'status Groups', '4'],
  ['capabilities', 'status CapBnd', '000001ffffffffff'],
  ['no_new_privileges', 'status NoNewPrivs', '0'],
  ['system_call_filter', 'status Seccomp', '0'],
  ['nested_namespaces', 'nested', 'made'],
  ['kernel_settings', 'settings', '/proc/sys/kernel/core_pattern'],
  ['read_only_root', 'writable', '/'],
];

describe('src/sandbox/bubblewrap/probe/judge-facts.ts', () => {
  it('finds all closed where all is', () => {
    assert.deepEqual(openChecks(CLOSED), []);
  });

  for (const [check, fact, value] of CASES)
    it(`${check} is open when ${fact} is ${JSON.stringify(value)}`, () => {
      assert.deepEqual(openChecks({ ...CLOSED, [fact]: value }), [check]);
    });

  it('takes a fact that is missing for open', () => {
    for (const fact of Object.keys(CLOSED)) {
      const { [fact]: _, ...rest } = CLOSED;
      assert.equal(openChecks(rest).length, 1, fact);
    }
    assert.equal(openChecks({}).length, judgeFacts(new Map(), OUTSIDE).length);
  });

  it('reads facts line by line, and drops what is none', () => {
    const facts = parseFacts('a\t1\nnoise\n\tx\nb c\t \na\t2');
    assert.deepEqual(Object.fromEntries(facts), { a: '2', 'b c': '' });
  });
});
