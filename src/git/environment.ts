import { fault } from '../errors.ts';
import type { GitAccess } from '../forge/types.ts';

/** What every git process of ours is told, whatever the machine, the user or the repository is set to. */
const HARDENING: readonly string[] = [
  // Nothing that a repository can name is run or read.
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'safe.bareRepository=explicit',
  'submodule.recurse=false',
  'core.symlinks=false',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  'credential.helper=',
  'log.showSignature=false',
  'commit.gpgSign=false',
  'push.gpgSign=false',
  'push.recurseSubmodules=no',
  // Only https (http per call, see below), only the host that was asked, only checked objects, nothing from elsewhere.
  'protocol.allow=never',
  'protocol.https.allow=always',
  'http.followRedirects=false',
  'http.sslVerify=true',
  // A forge that packs a large repository sends a few bytes every five seconds to show that it is alive; none is dead.
  'http.lowSpeedLimit=1',
  'http.lowSpeedTime=180',
  'transfer.bundleURI=false',
  'transfer.fsckObjects=true',
  'fetch.recurseSubmodules=no',
  'fetch.writeCommitGraph=false',
  'protocol.version=2',
  // Broken dates and addresses of old commits do no harm, and real repositories have them.
  ...[
    'badTimezone',
    'badDate',
    'badDateOverflow',
    'missingSpaceBeforeDate',
    'missingSpaceBeforeEmail',
  ].flatMap((check) => [`fetch.fsck.${check}=ignore`, `receive.fsck.${check}=ignore`]),
  // Packs stay packs, so that sizes are seen; repositories are made anew rather than tidied in the background.
  'transfer.unpackLimit=1',
  'gc.auto=0',
  'maintenance.auto=false',
];

/** Set-up of the machine's part of git, the same for every call. */
export interface GitSettings {
  /** Search path in which `git` and its helpers are found. */
  readonly path: string;
  /** PEM file with certificate authorities to trust beside the system's; null = the system's alone (case B07). */
  readonly caFile: string | null;
  /** Folder of the system's authorities, hashed by name as OpenSSL does it; null where the machine has none. */
  readonly caFolder: string | null;
  /** Hosts (`host` or `host:port`) that may be reached by plain http; all others need https. */
  readonly plainHttpHosts: readonly string[];
}

/** The arguments before the subcommand. */
export function hardeningArgs(settings: GitSettings, access: GitAccess | undefined): string[] {
  const http =
    access !== undefined && isPlainHttp(access.url, settings) ? ['protocol.http.allow=always'] : [];
  return [...HARDENING, ...http].flatMap((setting) => ['-c', setting]);
}

/**
 * The whole environment of a git process, built from nothing. The forge's headers travel here and nowhere else: not in
 * arguments, files or addresses, which other processes can read (T02).
 */
export function gitEnvironment(settings: GitSettings, access: GitAccess | undefined): Record<string, string> {
  const headers = access?.headers ?? [];
  const env: Record<string, string> = {
    PATH: settings.path,
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_CONFIG_COUNT: String(headers.length),
  };
  for (const [index, header] of headers.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = `http.${access?.url ?? ''}.extraHeader`;
    env[`GIT_CONFIG_VALUE_${index}`] = header;
  }
  if (settings.caFile !== null) {
    env.GIT_SSL_CAINFO = settings.caFile;
    if (settings.caFolder !== null) env.GIT_SSL_CAPATH = settings.caFolder;
  }
  return env;
}

function isPlainHttp(address: string, { plainHttpHosts }: GitSettings): boolean {
  const url = URL.parse(address);
  if (url?.protocol === 'https:') return false;
  if (
    url?.protocol === 'http:' &&
    (plainHttpHosts.includes(url.host) || plainHttpHosts.includes(url.hostname))
  )
    return true;
  const detail = `git may not reach ${url?.host ?? 'an address that is no URL'} by ${url?.protocol ?? 'nothing'}: use https, or name the host among those that may be reached by plain http`;
  throw fault('config_invalid', { detail });
}
