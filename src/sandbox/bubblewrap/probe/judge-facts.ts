import type { ProbeFinding } from '../../types.ts';
import { INSIDE_GID } from '../bwrap-arguments.ts';

/** What the probe's facts are compared with: the same things as seen by this process, out here. */
export interface Outside {
  /** `/proc/self/ns/KIND` of this process, by kind. */
  readonly namespaces: ReadonlyMap<string, string>;
  /** Connections that end nowhere, grouped by what they would prove. */
  readonly internet: readonly string[];
  readonly metadata: readonly string[];
  readonly hostAddresses: readonly string[];
  /** A listener of this process on its own loopback. */
  readonly hostLoopback: string;
  readonly nameLookup: string;
  readonly mounts: ReadonlySet<string>;
}

type Facts = ReadonlyMap<string, string>;

interface Judgement {
  readonly closed: boolean;
  readonly seen: string;
}

type Check = (facts: Facts, outside: Outside) => Judgement;

const MISSING: Judgement = { closed: false, seen: 'the probe could not find out' };

function judge(fact: string | undefined, isClosed: (value: string) => boolean): Judgement {
  if (fact === undefined) return MISSING;
  return { closed: isClosed(fact), seen: fact === '' ? 'none' : fact };
}

const isEmpty = (value: string) => value === '';

/** All connections must have failed in the way in which they fail without a network; refused would mean: reached. */
function judgeAttempts(facts: Facts, connections: readonly string[], expected: RegExp): Judgement {
  const answers = connections.map((connection) => facts.get(`attempt ${connection}`) ?? 'not tried');
  const seen = connections.map((connection, index) => `${connection}: ${answers[index]}`).join('; ');
  return { closed: answers.every((answer) => expected.test(answer)), seen: seen || 'nothing to try' };
}

const NO_ROUTE = /: (?:Network is unreachable|Address family not supported by protocol)$/;
const REFUSED = /: Connection refused$/;
const NO_NAME = /: (?:Temporary failure in name resolution|Name or service not known|Invalid argument)$/;

const OWN_ENVIRONMENT = new Set(['PATH', 'HOME', 'TMPDIR', 'LANG', 'PWD']);
/** The three streams, and the folder that the listing itself has open. */
const OWN_FILES = '0 1 2 3';
/** The shell of the call, the probe itself and what it has just started. */
const PROCESSES_MAX = 8;

function judgeNamespaces(facts: Facts, { namespaces }: Outside): Judgement {
  const shared = [...namespaces].filter(([kind, outside]) => {
    const inside = facts.get(`namespace ${kind}`) ?? '';
    return inside === '' || inside === outside;
  });
  return {
    closed: shared.length === 0,
    seen: `shared: ${shared.map(([kind]) => kind).join(', ') || 'none'}`,
  };
}

function judgeMounts(facts: Facts, { mounts }: Outside): Judgement {
  const points = [...facts].filter(([key]) => key.startsWith('mount '));
  const wrong = points.filter(([key, options]) => {
    const point = key.slice('mount '.length);
    return !mounts.has(point) || !options.split(',').includes('nosuid');
  });
  return {
    closed: points.length > 0 && wrong.length === 0,
    seen: wrong.map(([key, options]) => `${key} (${options})`).join('; ') || `${points.length} as planned`,
  };
}

/** What our own user's further groups look like inside, where they open nothing; only root can drop them. */
const HARMLESS_GROUPS = new Set([String(INSIDE_GID), '65534']);

function judgeUser(facts: Facts): Judgement {
  const ids = ['Uid', 'Gid', 'Groups'].map((field) => facts.get(`status ${field}`));
  const [users, groups, extra] = ids;
  if (users === undefined || groups === undefined || extra === undefined) return MISSING;
  const isPlain = [users, groups].every((list) => list !== '' && !list.split(' ').includes('0'));
  const isUnmapped = extra.split(' ').every((group) => group === '' || HARMLESS_GROUPS.has(group));
  return {
    closed: isPlain && isUnmapped,
    seen: `user ${users}; group ${groups}; further groups ${extra || 'none'}`,
  };
}

function judgeCapabilities(facts: Facts): Judgement {
  const sets = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'];
  const seen = sets.map((set) => `${set} ${facts.get(`status ${set}`) ?? 'unknown'}`);
  return { closed: seen.every((text) => / 0+$/.test(text)), seen: seen.join(', ') };
}

/** Every check by its name, in the order of the record. Each says what must hold for it to be closed. */
const CHECKS = {
  network_interfaces: (facts) => judge(facts.get('interfaces'), (value) => value === 'lo'),
  network_routes: (facts) => judge(facts.get('routes'), isEmpty),
  network_sockets: (facts) => judge(facts.get('sockets'), (value) => value === '0'),
  internet: (facts, { internet }) => judgeAttempts(facts, internet, NO_ROUTE),
  metadata_service: (facts, { metadata }) => judgeAttempts(facts, metadata, NO_ROUTE),
  host_addresses: (facts, { hostAddresses }) => judgeAttempts(facts, hostAddresses, NO_ROUTE),
  host_loopback: (facts, { hostLoopback }) => judgeAttempts(facts, [hostLoopback], REFUSED),
  name_resolution: (facts, { nameLookup }) => judgeAttempts(facts, [nameLookup], NO_NAME),
  namespaces: judgeNamespaces,
  host_paths: (facts) => judge(facts.get('paths'), isEmpty),
  mounts: judgeMounts,
  open_files: (facts) => judge(facts.get('files'), (value) => value === OWN_FILES),
  environment: (facts) =>
    judge(facts.get('environment'), (value) => value.split(' ').every((name) => OWN_ENVIRONMENT.has(name))),
  processes: (facts) =>
    judge(facts.get('processes'), (value) => /^\d+$/.test(value) && Number(value) <= PROCESSES_MAX),
  user: judgeUser,
  capabilities: judgeCapabilities,
  no_new_privileges: (facts) => judge(facts.get('status NoNewPrivs'), (value) => value === '1'),
  system_call_filter: (facts) => judge(facts.get('status Seccomp'), (value) => value === '2'),
  nested_namespaces: (facts) => judge(facts.get('nested'), (value) => value === 'refused'),
  kernel_settings: (facts) => judge(facts.get('settings'), isEmpty),
  read_only_root: (facts) => judge(facts.get('writable'), isEmpty),
} as const satisfies Record<string, Check>;

export type BubblewrapCheck = keyof typeof CHECKS;

/** Findings from the probe's facts. Pure. A fact that is missing makes its finding open. */
export function judgeFacts(facts: Facts, outside: Outside): ProbeFinding[] {
  return Object.entries<Check>(CHECKS).map(([check, of]) => ({ check, ...of(facts, outside) }));
}
