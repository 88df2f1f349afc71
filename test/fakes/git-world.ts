import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Actor, Draft, DraftRequest, Forge, Issue, Permission } from '../../src/forge/types.ts';
import { createGit, type Git, type GitOptions } from '../../src/git.ts';
import { createLog, type Log } from '../../src/log.ts';
import { createMirrors, type Mirrors, type MirrorsOptions } from '../../src/mirror/mirror.ts';
import type { ChangeRequest } from '../../src/run/change.ts';
import { collectChange } from '../../src/run/change.ts';
import { prepare } from '../../src/run/prepare.ts';
import type { PublishDeps } from '../../src/run/publish.ts';
import type { Change, Prepared } from '../../src/run/types.ts';
import { fillWorkspace } from '../../src/run/workspace.ts';
import { createSecrets, type Secrets } from '../../src/secrets.ts';
import type { Artifacts, Run } from '../../src/store/types.ts';
import { createMemoryArtifacts } from './artifacts.ts';
import { type Gate, type GitServer, startGitServer } from './git-server.ts';
import { createPlainSandbox, type PlainSandbox } from './plain-sandbox.ts';
import { createUpstream, type FileSpec, type Upstream } from './upstream.ts';

export const BOT: Actor = { id: 900, login: 'tadpole[bot]', kind: 'bot' };
export const ALICE: Actor = { id: 7, login: 'alice', kind: 'user' };
export const TOKEN = 'ghs_PlantedTokenForTests0123456789';
export const basic = (token: string) =>
  `Authorization: Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;

/** The forge's state as far as preparing and publishing see it; tests set the fields. */
export interface WorldForge
  extends Pick<
    Forge,
    'gitAccess' | 'ensureDraft' | 'readIdentity' | 'readRepository' | 'readIssue' | 'readPermission'
  > {
  permission: Permission;
  issue: Issue | null;
  archived: boolean;
  gone: boolean;
  readonly drafts: (DraftRequest & Draft)[];
  /** Kinds of access minted so far. */
  readonly minted: ('read' | 'write')[];
  /** Makes the token of the n-th minting, counted from 1. */
  tokenOf: (n: number) => string;
}

export interface World {
  readonly folder: string;
  readonly git: Git;
  readonly log: Log;
  readonly logged: string[];
  readonly secrets: Secrets;
  readonly upstream: Upstream;
  readonly server: GitServer;
  readonly artifacts: ReturnType<typeof createMemoryArtifacts>;
  readonly mirrors: Mirrors;
  readonly forge: WorldForge;
  readonly signal: AbortSignal;
  readonly deps: PublishDeps & { readonly artifacts: Artifacts; readonly log: Log };
  run(base: { readonly branch?: string; readonly commit: string }): Run;
  /** Commits the files upstream and prepares them. */
  prepared(files: Readonly<Record<string, FileSpec>>): Promise<Prepared>;
  /** A sandbox whose work tree is what was prepared; destroyed with the world. */
  filled(prepared: Prepared): Promise<PlainSandbox>;
  collect(
    sandbox: PlainSandbox,
    prepared: Prepared,
    options?: { readonly deny?: readonly string[]; readonly filesChanged?: number; readonly caps?: never },
  ): Promise<Change>;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly gate?: Gate;
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly git?: Partial<GitOptions>;
  readonly mirrors?: Partial<MirrorsOptions>;
}

/** A forge with one repository behind real git, our git, and all that the git stages need. */
export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tadpole-world-'));
  const upstream = await createUpstream();
  const server = await startGitServer({ root: upstream.root, ...options });
  const secrets = createSecrets();
  const logged: string[] = [];
  const log = createLog({
    level: 'trace',
    secrets,
    destination: { write: (line) => void logged.push(line) },
  });
  const git = createGit({ secrets, folders: [folder], plainHttpHosts: ['127.0.0.1'], ...options.git });
  const artifacts = createMemoryArtifacts();
  const mirrors = createMirrors({ git, log, folder: path.join(folder, 'mirrors'), ...options.mirrors });
  const forge = createWorldForge({ upstream, server, secrets });
  const { signal } = new AbortController();
  const deps = {
    git,
    mirrors,
    forge,
    artifacts,
    log,
    folder: path.join(folder, 'tmp'),
    accessDelaysMs: [20, 20, 20],
  };
  const sandboxes: PlainSandbox[] = [];
  const world: World = {
    ...{ folder, git, log, logged, secrets, upstream, server, artifacts, mirrors, forge, signal, deps },
    run: ({ branch = 'grove', commit }) => toRun({ branch, commit }),
    async prepared(files) {
      const commit = await upstream.commit(files);
      return prepare(deps, world.run({ commit }), { signal });
    },
    async filled(prepared) {
      const sandbox = await createPlainSandbox();
      sandboxes.push(sandbox);
      const packs = [await artifacts.open(prepared.pack)];
      await fillWorkspace(
        sandbox,
        { packs, tree: prepared.base.tree, commit: prepared.base.commit },
        { signal },
      );
      return sandbox;
    },
    collect: (sandbox, prepared, { deny = [], filesChanged = 50 } = {}) => {
      const policy: ChangeRequest['policy'] = { paths: { deny }, limits: { filesChanged } };
      return collectChange(deps, { runId: RUN_ID, sandbox, prepared, policy }, { signal });
    },
    async close() {
      for (const sandbox of sandboxes) await sandbox.destroy();
      await server.close();
      await upstream.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return world;
}

export const RUN_ID = 'r_01JDZK3V8Q4M5N6P7R8S9T0V1W';

function toRun({ branch, commit }: { branch: string; commit: string }): Run {
  return {
    id: RUN_ID,
    state: 'worked',
    trigger: {
      kind: 'label',
      forge: 'github',
      deliveryId: 'd1',
      intent: 'i1',
      repository: { id: 5, owner: 'acme', name: 'sample', installation: 1 },
      issue: 42,
      label: 'tadpole',
      sender: ALICE,
      labelledAt: '2026-01-02T03:04:05Z',
      title: 'Count the first row',
      body: '',
    },
    admitted: { base: { branch, commit } },
    createdAt: '2026-01-02T03:04:05.678Z',
  } as unknown as Run;
}

function createWorldForge(parts: { upstream: Upstream; server: GitServer; secrets: Secrets }): WorldForge {
  const { upstream, server, secrets } = parts;
  const forge: WorldForge = {
    permission: 'write',
    issue: { state: 'open', labels: ['tadpole'], number: 42 } as unknown as Issue,
    archived: false,
    gone: false,
    drafts: [],
    minted: [],
    tokenOf: () => TOKEN,
    async readIdentity() {
      return BOT;
    },
    async readRepository(ref) {
      if (forge.gone) return null;
      const head = await upstream.git(['rev-parse', 'refs/heads/grove'], upstream.bare).catch(() => null);
      const webUrl = 'https://git.corp.test/acme/sample';
      return { ref, defaultBranch: 'grove', head, archived: forge.archived, disabled: false, webUrl };
    },
    readIssue: async () => forge.issue,
    readPermission: async () => forge.permission,
    async gitAccess(_ref, kind) {
      forge.minted.push(kind);
      const token = forge.tokenOf(forge.minted.length);
      secrets.register(token);
      return { url: server.url('acme/sample.git'), headers: [basic(token)] };
    },
    async ensureDraft(_ref, draft) {
      const known = forge.drafts.find(({ head, base }) => head === draft.head && base === draft.base);
      if (known) return { ...known, created: false };
      const number = 100 + forge.drafts.length;
      const made = { number, webUrl: `https://git.corp.test/acme/sample/pull/${number}`, created: true };
      forge.drafts.push({ ...draft, ...made });
      return made;
    },
  };
  return forge;
}
