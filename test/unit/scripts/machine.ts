import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Folder of the set-up's modules, as an address to import from. */
export const SETUP = new URL('../../../scripts/setup/', import.meta.url).href;
export const SETUP_SCRIPT = fileURLToPath(new URL('../../../scripts/setup.mjs', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** A machine in a folder: files and programs that are made up, and nothing else in its PATH. */
export function createMachine() {
  const folder = mkdtempSync(join(tmpdir(), 'tadpole-setup-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
    return join(folder, path);
  };
  const program = (path: string, script: string) => {
    const file = write(path, `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`);
    chmodSync(file, 0o755);
    return file;
  };
  /** Runs module code whose PATH is the machine's `bin` alone. */
  const run = (code: string) => start(code).ended;
  const start = (code: string) => {
    const env = { PATH: join(folder, 'bin'), HOME: folder };
    return launch(process.execPath, ['--input-type=module', '-e', code], env);
  };
  return { folder, write, program, run, start };
}

const running = new Set<ChildProcess>();
after(() => {
  for (const { pid } of running) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
});

/** A program without a terminal, and how it ends. */
export function launch(file: string, argv: readonly string[], env: Record<string, string>) {
  // A group of its own, so that a test that fails half-way leaves nothing of it behind.
  const child = spawn(file, [...argv], { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  running.add(child);
  child.on('close', () => running.delete(child));
  let out = '';
  let err = '';
  child.stdout.on('data', (piece) => {
    out += String(piece);
  });
  child.stderr.on('data', (piece) => {
    err += String(piece);
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, out, err }));
  });
  const printed = (text: string) =>
    new Promise<void>((resolve) => {
      const look = () => out.includes(text) && resolve();
      child.stdout.on('data', look);
      look();
    });
  return { child, ended, printed };
}
