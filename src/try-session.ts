import { randomBytes, randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { openBase, type Started } from './app.ts';
import { readIssueFile } from './commands/issue-file.ts';
import { readSampleTranscript, SAMPLE } from './commands/sample.ts';
import type { TrySession } from './commands/try/watch-run.ts';
import type { TryOptions } from './commands/types.ts';
import { parseConfig } from './config.ts';
import { fault } from './errors.ts';
import { type LocalForge, startLocalForge } from './forge/local/server.ts';
import { createLog } from './log.ts';
import { startReplay } from './model/replay.ts';
import { createSecrets } from './secrets.ts';
import { startForgeSide } from './start-forge-side.ts';
import { startSandboxSide } from './start-sandbox-side.ts';
import type { Store } from './store/types.ts';

export interface TryPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
}

const PERSON = 'alice';
const LABEL = 'tadpole';

/**
 * Everything of `tadpole try` on this machine, in a folder of its own that is gone afterwards: a local forge with a
 * repository, the real product against it, and the issue labelled by a person.
 */
export async function beginTry(options: TryOptions, { env, version }: TryPlace): Promise<TrySession> {
  const folder = await mkdtemp(join(tmpdir(), 'tadpole-try-'));
  const started: Started[] = [{ close: () => rm(folder, { recursive: true, force: true }) }];
  const close = async () => {
    for (const part of started.splice(0).reverse()) await part.close();
  };
  try {
    const forge = await startLocalForge({ dataFolder: join(folder, 'forge'), port: options.port });
    started.push(forge);
    const place = await seed(forge, options);
    const recorded = !env.MODEL_BASE_URL;
    const replay = recorded ? await startReplay({ transcript: await readSampleTranscript() }) : null;
    if (replay) started.push(replay);
    const model = replay ? { MODEL_BASE_URL: replay.url, MODEL_NAME: replay.model } : pick(env, 'MODEL_');
    const webhookSecret = randomBytes(32).toString('hex');
    const port = await freePort();
    const app = forge.registerApp({
      slug: 'tadpole',
      webhookUrl: `http://127.0.0.1:${port}/api/webhooks/github`,
      webhookSecret,
    });
    const config = parseConfig(
      {
        ...model,
        ...pick(env, 'SANDBOX_'),
        ...(await defaultPolicy(folder, options)),
        TADPOLE_DATA: join(folder, 'data'),
        TADPOLE_HTTP_HOSTS: new URL(forge.url).host,
        GITHUB_HOST: new URL(forge.url).host,
        GITHUB_APP_ID: String(app.appId),
        GITHUB_PRIVATE_KEY: app.privateKey,
        WEBHOOK_SECRET: webhookSecret,
        HOST: '127.0.0.1',
        PORT: String(port),
        LOG_LEVEL: env.LOG_LEVEL ?? 'info',
      },
      ['forge', 'model', 'sandbox'],
    );
    const secrets = createSecrets();
    for (const value of config.secretValues) secrets.register(value);
    const log = createLog({
      level: config.logLevel,
      secrets,
      destination: logFile(join(folder, 'log'), env.LOG_LEVEL),
    });
    const base = await openBase(config, { log, secrets, owner: `try-${randomUUID()}` });
    started.push(base);
    started.push(await startForgeSide(base, config.forge, { recorded }));
    started.push(await startSandboxSide(base, { model: config.model, sandbox: config.sandbox, recorded }));
    await forge.label(place.repository, place.issue, { label: LABEL, by: PERSON });
    const runId = await firstRun(base.store);
    const label = recorded ? 'recorded model' : config.model.name;
    return {
      title: { version, sandbox: 'bubblewrap', model: label },
      recorded,
      runId,
      store: base.store,
      close,
    };
  } catch (err) {
    await close();
    throw err;
  }
}

/** The repository, the person and the issue: the sample's, or the newcomer's own, cloned. */
async function seed(forge: LocalForge, { own }: TryOptions): Promise<{ repository: string; issue: number }> {
  forge.createUser(PERSON);
  const name = own ? basename(resolve(own.path)).replace(/[^\w.-]/g, '-') || 'repository' : SAMPLE.name;
  const from = own
    ? ({ kind: 'clone', path: resolve(own.path) } as const)
    : ({ kind: 'folder', path: SAMPLE.folder } as const);
  await forge.createRepository({ owner: SAMPLE.owner, name, from });
  const repository = `${SAMPLE.owner}/${name}`;
  forge.setPermission(repository, PERSON, 'write');
  const issue = forge.openIssue(repository, {
    ...(await readIssueFile(own ? own.issueFile : SAMPLE.issueFile)),
    author: PERSON,
  });
  return { repository, issue };
}

/** For repositories without a policy of their own, what the command line says. */
async function defaultPolicy(folder: string, { own }: TryOptions): Promise<Record<string, string>> {
  if (!own) return {};
  const file = join(folder, 'policy.yml');
  const test =
    own.testCommand === null
      ? ''
      : `test:\n  command: ${JSON.stringify(own.testCommand)}\n  report:\n    format: ${own.testCommand.includes('TADPOLE_REPORT') ? 'junit' : 'none'}\n`;
  await writeFile(file, `label: ${LABEL}\n${test}`);
  return { TADPOLE_DEFAULT_POLICY: file };
}

function pick(env: TryPlace['env'], prefix: string): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith(prefix)));
}

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Logs go to a file of the session, so that the terminal shows the run alone; with LOG_LEVEL set, to standard error. */
function logFile(path: string, level: string | undefined) {
  return {
    write: (line: string) =>
      level === undefined ? appendFileSync(path, line) : void process.stderr.write(line),
  };
}

const PATIENCE_MS = 15_000;

/** The run that the label led to. The webhook is on its way; nothing in it says which run it becomes. */
async function firstRun(store: Store): Promise<string> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
    const [run] = await store.listRuns({ limit: 1 });
    if (run) return run.id;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw fault('forge_unavailable', {
    detail: 'the label led to no run: the local forge’s webhook did not arrive',
  });
}
