import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ExecCall, ExecResult, Sandbox } from '../../src/sandbox/types.ts';

export interface PlainSandbox extends Pick<Sandbox, 'exec' | 'put' | 'destroy' | 'name'> {
  /** The folder on this machine that is /workspace inside. */
  readonly workspace: string;
  readonly scratch: string;
  /** Every call so far. */
  readonly calls: ExecCall[];
  /** Shell text run as the agent would run it; returns its output, fails on a non-zero exit. */
  sh(script: string): Promise<string>;
}

/** The smallest sandbox that has the port's folders in their places: bubblewrap by hand, without limits or probes. */
export async function createPlainSandbox(): Promise<PlainSandbox> {
  const root = await mkdtemp(path.join(tmpdir(), 'tadpole-plain-'));
  const folders = {
    workspace: path.join(root, 'w'),
    scratch: path.join(root, 's'),
    home: path.join(root, 'h'),
  };
  for (const folder of Object.values(folders)) await mkdir(folder);
  const calls: ExecCall[] = [];
  const children = new Set<ChildProcess>();

  const exec = async (call: ExecCall, { signal }: { signal: AbortSignal }): Promise<ExecResult> => {
    calls.push(call);
    const begin = performance.now();
    const child = spawn('bwrap', [...bwrapArgs(folders), ...callArgs(call)], {
      signal,
      killSignal: 'SIGKILL',
    });
    children.add(child);
    const timer = setTimeout(() => child.kill('SIGKILL'), call.timeoutMs);
    const stderr: Buffer[] = [];
    child.stderr.on('data', (piece: Buffer) => stderr.push(piece));
    const input = call.stdin instanceof Uint8Array ? [call.stdin] : (call.stdin ?? []);
    pipeline(Readable.from(input), child.stdin).catch(() => undefined);
    const ended = new Promise<[number | null, string | null]>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, by) => resolve([code, by]));
    });
    ended.catch(() => undefined);
    const stdout: Buffer[] = [];
    try {
      for await (const piece of child.stdout) {
        if (call.onStdout) await call.onStdout(piece);
        else stdout.push(piece);
      }
      const [exitCode, by] = await ended;
      const kept = (pieces: Buffer[]) => ({
        head: Buffer.concat(pieces),
        tail: Buffer.alloc(0),
        omittedBytes: 0,
      });
      return {
        exitCode,
        signal: by === null ? null : 9,
        stdout: kept(stdout),
        stderr: kept(stderr),
        timedOut: by !== null,
        outOfMemory: false,
        durationMs: performance.now() - begin,
      };
    } finally {
      clearTimeout(timer);
      child.kill('SIGKILL');
      children.delete(child);
    }
  };

  return {
    name: path.basename(root),
    workspace: folders.workspace,
    scratch: folders.scratch,
    calls,
    exec,
    async put(place, content) {
      const real = place.replace(/^\/tadpole/, folders.scratch).replace(/^\/workspace/, folders.workspace);
      await mkdir(path.dirname(real), { recursive: true });
      await writeFile(real, content instanceof Uint8Array ? content : Readable.from(content));
    },
    async sh(script) {
      const result = await exec(
        { id: `sh-${calls.length}`, argv: ['bash', '-c', script], timeoutMs: 60_000 },
        { signal: new AbortController().signal },
      );
      if (result.exitCode !== 0)
        throw new Error(`${script}: ${result.exitCode} ${Buffer.from(result.stderr.head).toString()}`);
      return Buffer.from(result.stdout.head).toString();
    },
    async destroy() {
      for (const child of children) child.kill('SIGKILL');
      await rm(root, { recursive: true, force: true });
    },
  };
}

function bwrapArgs({
  workspace,
  scratch,
  home,
}: {
  workspace: string;
  scratch: string;
  home: string;
}): string[] {
  return [
    ...['--unshare-all', '--die-with-parent', '--new-session', '--clearenv'],
    ...['--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin', '--symlink', 'usr/lib', '/lib'],
    ...['--symlink', 'usr/lib64', '/lib64', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
    ...['--bind', workspace, '/workspace', '--bind', scratch, '/tadpole', '--bind', home, '/home/agent'],
    ...['--setenv', 'PATH', '/home/agent/bin:/usr/bin:/bin', '--setenv', 'HOME', '/home/agent'],
  ];
}

function callArgs({ cwd, env, argv }: ExecCall): string[] {
  const added = Object.entries(env ?? {}).flatMap(([key, value]) => ['--setenv', key, value]);
  return ['--chdir', cwd ?? '/workspace', ...added, '--', ...argv];
}

export async function readText(place: string): Promise<string> {
  return readFile(place, 'utf8');
}
