import { join } from 'node:path';
import { z } from 'zod';
import { type Report, readNamedFile } from './problems.ts';
import { address, connection, host, listOf, oneOf, path, whole, word } from './values.ts';
import { about, optional, withDefault } from './variable.ts';

const GIB = 1024 ** 3;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** What every process of Tadpole needs, whichever side it serves. */
export interface ServerConfig {
  /** Absolute folder of the embedded store, artifacts and caches. */
  readonly dataFolder: string;
  /** Absolute folder of the bare mirrors. */
  readonly cacheFolder: string;
  readonly cacheMaxBytes: number;
  /** Absolute path of a PEM file with further certificate authorities; null = the system's alone. */
  readonly caFile: string | null;
  readonly labels: readonly string[];
  /** Hosts, some with a port, that may be spoken to by plain http. */
  readonly plainHttpHosts: readonly string[];
  /** Absolute path of the policy for repositories that have none; null = they are refused. */
  readonly defaultPolicyFile: string | null;
  readonly publicUrl: string | null;
  readonly listen: { readonly host: string; readonly port: number };
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Null = embedded. */
  readonly databaseUrl: string | null;
  /** Null = the database's, or embedded. */
  readonly redisUrl: string | null;
  readonly work: { readonly concurrency: number; readonly leaseMs: number; readonly shutdownGraceMs: number };
}

export const ServerVariables = z.object({
  TADPOLE_DATA: withDefault(path, './.tadpole', 'Folder for the embedded store, artifacts and caches'),
  TADPOLE_CACHE: optional(path, 'Folder for copies of repositories; standard: mirrors in TADPOLE_DATA'),
  TADPOLE_CACHE_MAX_GIB: withDefault(whole(1, 65_536), '20', 'Size at which old copies are removed'),
  TADPOLE_CA_FILE: optional(
    path,
    'PEM file with a private certificate authority, for forge, git and model alike',
  ),
  TADPOLE_LABELS: withDefault(listOf(z.string()), 'tadpole', 'Labels that ask for a run, with commas'),
  TADPOLE_HTTP_HOSTS: optional(
    listOf(host),
    'Hosts that may be spoken to by plain http instead of https, with commas',
  ),
  TADPOLE_DEFAULT_POLICY: optional(
    path,
    'Policy file for repositories that have none; without it they are refused',
  ),
  TADPOLE_PUBLIC_URL: optional(
    address,
    'Address under which people reach this server, for links in comments',
  ),
  HOST: withDefault(word, '127.0.0.1', 'Address to listen on'),
  PORT: withDefault(whole(0, 65_535), '3000', 'Port to listen on; 0 = any free one'),
  LOG_LEVEL: withDefault(oneOf(LOG_LEVELS), 'info', `Least level that is logged: ${LOG_LEVELS.join(', ')}`),
  DATABASE_URL: connection(['postgres', 'postgresql'])
    .optional()
    .register(about, { purpose: 'PostgreSQL for the store; without it an embedded one', secret: true }),
  REDIS_URL: connection(['redis', 'rediss']).optional().register(about, {
    purpose: 'Redis for the queue; without it the store carries the queue',
    secret: true,
  }),
  WORK_CONCURRENCY: withDefault(whole(1, 256), '2', 'Runs that one process works on at the same time'),
  LEASE_SECONDS: withDefault(
    whole(1, 3_600),
    '30',
    'Time after which the runs of a dead process are taken over',
  ),
  SHUTDOWN_GRACE_SECONDS: withDefault(
    whole(0, 3_600),
    '30',
    'Time that a stopping process gives to what it has in hand',
  ),
});

/** The part that all processes share; files that can't be used are reported. */
export function toServer(values: z.output<typeof ServerVariables>, report: Report): ServerConfig {
  reportFiles(values, report);
  return {
    dataFolder: values.TADPOLE_DATA,
    cacheFolder: values.TADPOLE_CACHE ?? join(values.TADPOLE_DATA, 'mirrors'),
    cacheMaxBytes: values.TADPOLE_CACHE_MAX_GIB * GIB,
    caFile: values.TADPOLE_CA_FILE ?? null,
    labels: values.TADPOLE_LABELS,
    plainHttpHosts: values.TADPOLE_HTTP_HOSTS ?? [],
    defaultPolicyFile: values.TADPOLE_DEFAULT_POLICY ?? null,
    publicUrl: values.TADPOLE_PUBLIC_URL ?? null,
    listen: { host: values.HOST, port: values.PORT },
    logLevel: values.LOG_LEVEL,
    databaseUrl: values.DATABASE_URL ?? null,
    redisUrl: values.REDIS_URL ?? null,
    work: {
      concurrency: values.WORK_CONCURRENCY,
      leaseMs: values.LEASE_SECONDS * 1000,
      shutdownGraceMs: values.SHUTDOWN_GRACE_SECONDS * 1000,
    },
  };
}

function reportFiles(values: z.output<typeof ServerVariables>, report: Report): void {
  const { TADPOLE_CA_FILE: caFile, TADPOLE_DEFAULT_POLICY: policyFile } = values;
  if (policyFile !== undefined) readNamedFile('TADPOLE_DEFAULT_POLICY', policyFile, report);
  const pem = caFile === undefined ? null : readNamedFile('TADPOLE_CA_FILE', caFile, report);
  if (pem !== null && !pem.includes('-----BEGIN CERTIFICATE-----')) {
    report('TADPOLE_CA_FILE', `names ${caFile}, which has no certificate in PEM form`);
  }
}
