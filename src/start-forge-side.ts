import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Base, Started } from './app.ts';
import type { Config } from './config.ts';
import { fault } from './errors.ts';
import { createGitHub, findExcessPermissions } from './forge/github/github.ts';
import { sweepTemporaryRepositories } from './git/temporary-repository.ts';
import type { Log } from './log.ts';
import { createMirrors } from './mirror/mirror.ts';
import { startProgress } from './run/progress.ts';
import { type ForgeSide, takeForgeSide } from './run/run.ts';
import { openGit, startSide } from './start-side.ts';
import { createGitHubApp, type VerifiedDelivery } from './webhook/github.ts';
import { type Listener, startListener } from './webhook/http.ts';
import { type Intake, takeIn } from './webhook/intake.ts';

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
