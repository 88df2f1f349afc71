/** The composition root: makes the parts from the configuration and wires them. The only place that knows them all. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTools } from './agent/tools/toolbox.ts';
import type { Config } from './config.ts';
import { fault } from './errors.ts';
import { createGitHub, findExcessPermissions } from './forge/github/github.ts';
import { sweepTemporaryRepositories } from './git/temporary-repository.ts';
import { createGit } from './git.ts';
import type { Log } from './log.ts';
import { createMirrors } from './mirror/mirror.ts';
import { createOpenAiModel } from './model/openai.ts';
import { findProfile } from './model/profiles/find-profile.ts';
import { openQueue } from './queue/bullmq.ts';
import type { Queue, QueueWorker } from './queue/types.ts';
import { startProgress } from './run/progress.ts';
import { type ForgeSide, takeForgeSide } from './run/run.ts';
import { type SandboxSide, takeSandboxSide } from './run/sandbox-side.ts';
import { startSweep } from './run/sweep.ts';
import { startWorker } from './run/worker.ts';
import { createBubblewrap } from './sandbox/bubblewrap/bubblewrap.ts';
import type { Secrets } from './secrets.ts';
import { createArtifacts, type FolderArtifacts } from './store/artifacts.ts';
import { startEmbedded } from './store/embedded.ts';
import { openStore } from './store/postgres-store.ts';
import type { Store } from './store/types.ts';
import { createGitHubApp, type VerifiedDelivery } from './webhook/github.ts';
import { type Listener, startListener } from './webhook/http.ts';
import { type Intake, takeIn } from './webhook/intake.ts';

/** What both sides share, open. */
export interface Base {
  readonly config: Config;
  readonly log: Log;
  readonly secrets: Secrets;
  readonly store: Store;
  readonly queue: Queue;
  readonly artifacts: FolderArtifacts;
  readonly ca: string | null;
  /** Names this process in leases. */
  readonly owner: string;
  close(): Promise<void>;
}

/** Something started that ends in its own time. */
export interface Started {
  close(): Promise<void>;
}

const SWEEP_MS = 15_000;

/** Opens store, queue and artifacts; embedded where no address is configured. */
export async function openBase(
  config: Config,
  { log, secrets, owner }: Pick<Base, 'log' | 'secrets' | 'owner'>,
): Promise<Base> {
  for (const warning of config.warnings) log.warn({ warning }, 'configuration warning');
  const { dataFolder, redisUrl } = config;
  await mkdir(join(dataFolder, 'tmp'), { recursive: true });
  const embedded = config.databaseUrl === null ? await startEmbedded({ dataDir: dataFolder, log }) : null;
  const databaseUrl = config.databaseUrl ?? embedded?.connectionString ?? '';
  const store = await openStore({ databaseUrl, log });
  const queue = await openQueue({ ...(redisUrl === null ? {} : { redisUrl }), databaseUrl, log });
  for (const warning of await queue.warnings()) log.warn({ warning }, 'queue warning');
  const ca = config.caFile === null ? null : await readFile(config.caFile, 'utf8');
  const artifacts = createArtifacts({ dir: join(dataFolder, 'artifacts') });
  const close = async () => {
    await queue.close();
    await store.close();
    await embedded?.close();
  };
  return { config, log, secrets, store, queue, artifacts, ca, owner, close };
}

function openGit({ config, secrets }: Base) {
  const { dataFolder, cacheFolder, caFile, plainHttpHosts } = config;
  return createGit({
    secrets,
    folders: [join(dataFolder, 'tmp'), cacheFolder],
    caFile,
    plainHttpHosts: [...plainHttpHosts],
  });
}

/** The forge side: webhook listener, admission, prepare, publish, report. Holds the credentials, runs nothing untrusted. */
export async function startForgeSide(
  base: Base,
  forge: Config<'forge'>['forge'],
  { recorded }: { readonly recorded: boolean },
): Promise<
  Started & {
    readonly listener: Listener;
    readonly deliver: (delivery: VerifiedDelivery) => Promise<Intake | null>;
  }
> {
  const { config, log, secrets, store, queue, ca } = base;
  const apiUrl = forge.host === 'github.com' ? 'https://api.github.com' : `${forge.baseUrl}/api/v3`;
  const options = {
    apiUrl,
    webUrl: forge.baseUrl,
    appId: forge.appId,
    privateKey: forge.privateKey,
    ca,
    secrets,
    log,
  };
  const github = createGitHub(options);
  const stop = new AbortController();
  const side = await openForgeSide(base, github);
  const take = (delivery: VerifiedDelivery) => takeIn(delivery, { store, queue, labels: config.labels, log });
  const deliver = await createGitHubApp({ ...options, webhookSecret: forge.webhookSecret }, take);
  const ready = async () => void (await Promise.all([store.ping(), queue.ping()]));
  const listener = await startListener({
    ...config.listen,
    webhookSecret: forge.webhookSecret,
    receive: deliver,
    ready,
    log,
  });
  log.info({ url: listener.url }, 'listening for webhooks');
  void warnOfExcess(options, log, stop.signal);
  const worker = await startSide(base, 'forge', (held) => takeForgeSide(side, held));
  const progress = startProgress({
    store,
    forge: github,
    log,
    everyMs: 5_000,
    recorded,
    signal: stop.signal,
  });
  return {
    listener,
    deliver,
    async close() {
      progress.stop();
      await listener.close();
      await worker.close();
      stop.abort();
    },
  };
}

/** An App with more rights than it needs works, but a hijacked one could do more: said at every start (T10). */
async function warnOfExcess(
  options: Parameters<typeof findExcessPermissions>[0],
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  try {
    const excess = await findExcessPermissions(options, signal);
    if (excess.length > 0)
      log.error(
        { excess },
        'the app holds permissions that it must not have: take them away in its settings',
      );
  } catch (err) {
    if (!signal.aborted) log.warn({ err }, 'permissions of the app could not be checked');
  }
}

async function openForgeSide(base: Base, forge: ForgeSide['forge']): Promise<ForgeSide> {
  const { config, log, store, artifacts } = base;
  const git = openGit(base);
  const folder = join(config.dataFolder, 'tmp');
  await sweepTemporaryRepositories(folder);
  const [first, ...others] = config.labels;
  if (first === undefined) throw fault('config_invalid', { detail: 'TADPOLE_LABELS names no label' });
  return {
    forge,
    store,
    artifacts,
    git,
    folder,
    mirrors: createMirrors({ git, log, folder: config.cacheFolder, maxBytes: config.cacheMaxBytes }),
    defaultPolicy:
      config.defaultPolicyFile === null ? null : await readFile(config.defaultPolicyFile, 'utf8'),
    now: () => new Date(),
    rules: {
      labels: [first, ...others],
      caps: config.caps,
      runsAnHourPerIssue: config.caps.runsAnHourPerIssue,
    },
  };
}

export interface SandboxSideConfig {
  readonly model: Config<'model'>['model'];
  readonly sandbox: Config<'sandbox'>['sandbox'];
  /** Whether the endpoint plays back a recording. */
  readonly recorded: boolean;
}

/** The sandbox side: agent, change, verification. Holds no credential of the forge. */
export async function startSandboxSide(
  base: Base,
  { model, sandbox, recorded }: SandboxSideConfig,
): Promise<Started> {
  const { config, log, secrets, artifacts, store, ca } = base;
  const found = findProfile(model.profile);
  const { contextTokens, turnTokens } = model;
  const limits = {
    ...found.limits,
    ...(contextTokens !== null && { contextTokens }),
    ...(turnTokens !== null && { turnTokens }),
  };
  const provider = createBubblewrap({
    stateDir: join(config.dataFolder, 'sandboxes'),
    readOnlyPaths: sandbox.readOnlyPaths,
  });
  await provider.check({ signal: AbortSignal.timeout(30_000) });
  const removed = await provider.reap((runId) => store.isLive(runId));
  if (removed.length > 0) log.info({ removed: removed.length }, 'sandboxes of ended runs removed');
  const side: SandboxSide = {
    git: openGit(base),
    folder: join(config.dataFolder, 'tmp'),
    artifacts,
    provider,
    profile: { ...found, limits },
    model: createOpenAiModel({
      ...model,
      sampling: found.sampling,
      recorded,
      log,
      ...(ca !== null && { ca }),
    }),
    createTools,
    limits: { memoryBytes: sandbox.memoryBytes, processes: sandbox.processes, fileBytes: sandbox.fileBytes },
    secrets,
  };
  return startSide(base, 'sandbox', (held) => takeSandboxSide(side, held));
}

async function startSide(
  base: Base,
  side: 'forge' | 'sandbox',
  step: Parameters<typeof startWorker>[0]['step'],
): Promise<Started> {
  const { config, log, store, queue, owner } = base;
  const { concurrency, leaseMs, shutdownGraceMs: graceMs } = config.work;
  const worker: QueueWorker = await startWorker({
    store,
    queue,
    log,
    owner,
    leaseMs,
    concurrency,
    side,
    step,
  });
  const sweep = startSweep({ store, queue, log, idleMs: leaseMs, everyMs: SWEEP_MS });
  return {
    async close() {
      sweep.stop();
      await worker.close({ graceMs });
    },
  };
}
