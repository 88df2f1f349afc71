import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fault } from '../../../errors.ts';
import type { SandboxSpec } from '../../types.ts';
import { type ETC_FILES, INSIDE_GID, INSIDE_UID } from '../bwrap-arguments.ts';
import { HOME } from '../config.ts';
import type { HostUser } from './host-user.ts';

const execFileAsync = promisify(execFile);

const RUN_ID = /^[A-Za-z0-9_-]{1,64}$/;
const SANDBOX_NAME = /^([A-Za-z0-9_-]{1,64})\.(?:agent|base|patched)\.[0-9a-f]{16}$/;

const ETC: Record<(typeof ETC_FILES)[number], string> = {
  passwd: `sandbox:x:${INSIDE_UID}:${INSIDE_GID}:sandbox:${HOME}:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n`,
  group: `sandbox:x:${INSIDE_GID}:\nnogroup:x:65534:\n`,
  hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
  'resolv.conf': '',
};

/** The program's standard streams. Named pipes, not the sockets that node makes: `echo x > /dev/stderr` must work inside. */
export const FIFOS = ['stdin', 'stdout', 'stderr'] as const;

/** The run that a sandbox folder belongs to, or null when the name is not of our making. */
export function runIdOf(name: string): string | null {
  return SANDBOX_NAME.exec(name)?.[1] ?? null;
}

/** A new name; it carries the run id, so that a folder tells its owner from its first moment on (G02). */
export function newSandboxName({ runId, purpose }: Pick<SandboxSpec, 'runId' | 'purpose'>): string {
  if (!RUN_ID.test(runId))
    throw fault('internal', { detail: `run id ${JSON.stringify(runId)} can't name a sandbox` });
  return `${runId}.${purpose}.${randomBytes(8).toString('hex')}`;
}

/**
 * Makes the folder of one sandbox: its writable folders, generated /etc files and pipes. A folder on disk rather than a
 * memory file system: every call is a bwrap of its own, so a tmpfs would need a process that holds it for ever, and
 * repositories with their build output do not belong in memory. The price is that the sum of all files has no limit.
 */
export async function makeSandboxFolder(folder: string, user: HostUser | null): Promise<void> {
  const own = async (path: string) => (user === null ? undefined : chown(path, user.uid, user.gid));
  await mkdir(folder, { mode: 0o711 });
  await chmod(folder, 0o711);
  await mkdir(join(folder, 'etc'));
  await chmod(join(folder, 'etc'), 0o755);
  for (const [name, content] of Object.entries(ETC)) {
    await writeFile(join(folder, 'etc', name), content);
    await chmod(join(folder, 'etc', name), 0o644);
  }
  for (const name of ['workspace', 'tadpole', 'home', 'tmp', 'pipes']) {
    await mkdir(join(folder, name), { mode: 0o700 });
    await own(join(folder, name));
  }
  await chmod(join(folder, 'workspace'), 0o755);
  await chmod(join(folder, 'tmp'), 0o1777);
  const fifos = FIFOS.map((name) => join(folder, 'pipes', name));
  await execFileAsync('/usr/bin/mkfifo', ['-m', '600', '--', ...fifos], { env: {}, ...(user ?? {}) });
}
