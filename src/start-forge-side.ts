import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Base, Started } from './app.ts';
import type { Config } from './config.ts';
import { fault, toFault } from './errors.ts';
import { toAddresses } from './forge/github/addresses.ts';
import { assertLeastPermissions } from './forge/github/app-permissions.ts';
import { createGitHub, type GitHubOptions } from './forge/github/github.ts';
import { sweepTemporaryRepositories } from './git/temporary-repository.ts';
import type { Log } from './log.ts';
import { createMirrors } from './mirror/mirror.ts';
import { redactingForge } from './redacting-forge.ts';
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
  const options = {
    ...toAddresses(forge.baseUrl),
    appId: forge.appId,
    privateKey: forge.privateKey,
    ca,
    secrets,
    log,
  };
  const github = redactingForge(createGitHub(options), secrets);
  const stop = new AbortController();
  await checkApp(options, log, stop.signal);
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

/** Longest that the start waits for the forge, ms. */
const CHECK_MS = 10_000;

/**
 * An App that may change CI or rights is not used at all (T10); other differences from app.yml are said. A forge that does
 * not answer at the start is no reason to lose deliveries: tokens ask for the least permissions whatever the App holds.
 */
async function checkApp(options: GitHubOptions, log: Log, signal: AbortSignal): Promise<void> {
  try {
    const { excess, missing } = await assertLeastPermissions(options, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(CHECK_MS)]),
    });
    if (excess.length > 0) log.warn({ excess }, 'the app holds permissions that it does not need');
    if (missing.length > 0) log.error({ missing }, 'the app lacks permissions that it needs');
  } catch (err) {
    if (toFault(err).code === 'config_invalid') throw err;
    log.warn({ err }, 'permissions of the app could not be checked');
  }
}

async function openForgeSide(base: Base, forge: ForgeSide['forge']): Promise<ForgeSide> {
  const { config, log, store, artifacts, secrets } = base;
  const git = openGit(base);
  const folder = join(config.dataFolder, 'tmp');
  await sweepTemporaryRepositories(folder);
  const [first, ...others] = config.labels;
  if (first === undefined) throw fault('config_invalid', { detail: 'TADPOLE_LABELS names no label' });
  return {
    forge,
    store,
    artifacts,
    secrets,
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
