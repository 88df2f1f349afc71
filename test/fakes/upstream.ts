import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Content of a file; `{ link }` makes a symlink, `{ exec }` an executable. */
export type FileSpec = string | Uint8Array | { readonly link: string } | { readonly exec: string };

const IDENTITY = { name: 'Alice Grove', email: 'alice@example.test' };

export interface Upstream {
  /** Folder with bare repositories, to be served. */
  readonly root: string;
  /** The bare repository `acme/sample.git`. */
  readonly bare: string;
  readonly work: string;
  /** Runs git in the work tree (default) or elsewhere; resolves to its output, trimmed. */
  git(args: readonly string[], cwd?: string): Promise<string>;
  /** Writes files, commits all, pushes the present branch; resolves to the commit id. */
  commit(files: Readonly<Record<string, FileSpec>>, message?: string): Promise<string>;
  remove(): Promise<void>;
}

/** A repository of strangers on a forge, made with the machine's git: default branch `grove`. */
export async function createUpstream(): Promise<Upstream> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tadpole-upstream-'));
  const root = path.join(folder, 'root');
  const bare = path.join(root, 'acme', 'sample.git');
  const work = path.join(folder, 'work');
  const git = async (args: readonly string[], cwd = work) => {
    const { stdout } = await run('git', [...identity(), ...args], {
      cwd,
      maxBuffer: 1 << 28,
      env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
    });
    return stdout.trim();
  };
  await mkdir(bare, { recursive: true });
  await mkdir(work);
  await git(['init', '-q', '--bare', '-b', 'grove', bare]);
  await git(['init', '-q', '-b', 'grove', work]);
  await git(['remote', 'add', 'origin', bare]);
  return {
    root,
    bare,
    work,
    git,
    async commit(files, message = 'a change') {
      for (const [name, spec] of Object.entries(files)) await writeSpec(path.join(work, name), spec);
      await git(['add', '-A', '-f']);
      await git(['commit', '-q', '-m', message, '--allow-empty']);
      await git(['push', '-q', '-f', 'origin', 'HEAD']);
      return git(['rev-parse', 'HEAD']);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function identity(): string[] {
  return [
    `user.name=${IDENTITY.name}`,
    `user.email=${IDENTITY.email}`,
    'core.autocrlf=false',
    'safe.bareRepository=all',
    'safe.directory=*',
  ].flatMap((setting) => ['-c', setting]);
}

async function writeSpec(place: string, spec: FileSpec): Promise<void> {
  await mkdir(path.dirname(place), { recursive: true });
  await rm(place, { force: true });
  if (typeof spec === 'string' || spec instanceof Uint8Array) return writeFile(place, spec);
  if ('link' in spec) return symlink(spec.link, place);
  return writeFile(place, spec.exec, { mode: 0o755 });
}
