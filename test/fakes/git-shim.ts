import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface LoggedCall {
  readonly cwd: string;
  /** Environment as `NAME=value`. */
  readonly env: readonly string[];
  readonly argv: readonly string[];
}

export interface GitShim {
  /** Folder to put first in the search path. */
  readonly bin: string;
  calls(): Promise<readonly LoggedCall[]>;
  remove(): Promise<void>;
}

/** A program named git that writes folder, environment and arguments of each call to a log, and then is the real one. */
export async function createGitShim(): Promise<GitShim> {
  const bin = await mkdtemp(path.join(tmpdir(), 'tadpole-shim-'));
  const log = path.join(bin, 'log');
  const script = [
    '#!/bin/bash',
    'set -C; until : 2>/dev/null >"$0.lock"; do :; done; set +C',
    `{ printf '%s\\0' "$PWD" "$(env | tr '\\n' '\\001')" "$#" "$@"; } >> ${log}`,
    'rm "$0.lock"',
    `PATH=\${PATH#${bin}:}`,
    'exec git "$@"',
  ];
  await writeFile(path.join(bin, 'git'), `${script.join('\n')}\n`);
  await chmod(path.join(bin, 'git'), 0o755);
  return {
    bin,
    async calls() {
      const fields = (await readFile(log, 'utf8')).split('\0');
      const found: LoggedCall[] = [];
      for (let at = 0; at + 2 < fields.length; ) {
        const end = at + 3 + Number(fields[at + 2]);
        const env = (fields[at + 1] ?? '').split('\u0001').filter((line) => line !== '');
        found.push({ cwd: fields[at] ?? '', env, argv: fields.slice(at + 3, end) });
        at = end;
      }
      return found;
    },
    remove: () => rm(bin, { recursive: true, force: true }),
  };
}
