import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toAddresses } from '../../src/forge/github/addresses.ts';
import { createGitHub, type GitHubOptions } from '../../src/forge/github/github.ts';
import { type LocalForge, startLocalForge } from '../../src/forge/local/server.ts';
import type { Place } from '../../src/forge/local/world.ts';
import type { Forge, RepositoryRef } from '../../src/forge/types.ts';
import { createSecrets, type Secrets } from '../../src/secrets.ts';
import { type ForgeGate, startForgeGate } from './forge-gate.ts';
import { gatherLog, type LogLine } from './log-lines.ts';

/** The adapter, a gate, and behind it the local forge with one repository and one issue of alice's. */
export interface ForgeWorld {
  readonly local: LocalForge;
  readonly gate: ForgeGate;
  readonly github: Forge;
  readonly options: GitHubOptions;
  readonly place: Place;
  readonly ref: RepositoryRef;
  readonly issue: number;
  readonly secrets: Secrets;
  /** Pauses that the adapter would have waited, ms. */
  readonly pauses: number[];
  readonly logged: LogLine[];
  /** Commit of the default branch. */
  readonly head: string;
  close(): Promise<void>;
}

const SECRET = 'f3a1c5e7b9d2468013579bdf02468ace';
export const POLICY = 'test:\n  command: "true"\n';

export async function createForgeWorld(
  changes: Partial<GitHubOptions> & { readonly tls?: { readonly key: string; readonly cert: string } } = {},
): Promise<ForgeWorld> {
  const { tls, ...optionChanges } = changes;
  const folder = await mkdtemp(join(tmpdir(), 'tadpole-forge-'));
  const files = await mkdtemp(join(tmpdir(), 'tadpole-files-'));
  await writeFile(join(files, '.tadpole.yml'), POLICY);
  await writeFile(join(files, 'README.md'), '# Pond\n');
  const local = await startLocalForge({ dataFolder: folder });
  const place = await local.createRepository({
    owner: 'acme',
    name: 'pond',
    from: { kind: 'folder', path: files },
  });
  local.setPermission('acme/pond', local.createUser('alice').login, 'write');
  const issue = local.openIssue('acme/pond', {
    title: 'Frogs sink',
    body: 'They should swim.',
    author: 'alice',
  });
  const webhook = { webhookUrl: 'http://127.0.0.1:9/', webhookSecret: SECRET };
  const { appId, installationId, privateKey } = local.registerApp({ slug: 'tadpole', ...webhook });
  const gate = await startForgeGate(local.url, tls ? { tls } : {});
  const { log, lines: logged } = gatherLog();
  const secrets = createSecrets();
  const pauses: number[] = [];
  const pause = async (ms: number, signal: AbortSignal) => {
    signal.throwIfAborted();
    pauses.push(ms);
  };
  const options = {
    ...toAddresses(gate.url),
    appId,
    privateKey,
    secrets,
    log,
    pause,
    timeoutMs: 5_000,
    ...optionChanges,
  };
  const github = createGitHub(options);
  const ref = { id: place.id, owner: 'acme', name: 'pond', installation: installationId };
  const signal = AbortSignal.timeout(60_000);
  const head =
    (await createGitHub({ ...options, ...toAddresses(local.url) }).readRepository(ref, { signal }))?.head ??
    '';
  return {
    local,
    gate,
    github,
    options,
    place,
    ref,
    issue,
    secrets,
    pauses,
    logged,
    head,
    async close() {
      await gate.close();
      await local.close();
      await rm(folder, { recursive: true, force: true });
      await rm(files, { recursive: true, force: true });
    },
  };
}

/** For what a push would have done in the bare repository. */
export { git as gitIn } from '../../src/forge/local/git-backend.ts';
