import { Fault, fault } from '../../../errors.ts';
import type { Machine } from '../cell.ts';
import { openSandbox } from '../sandbox.ts';

const LIMITS = { memoryBytes: 256 * 1024 * 1024, processes: 64, fileBytes: 1024 * 1024, lifetimeMs: 60_000 };
const TIMEOUT_MS = 30_000;

const HINT =
  'Unprivileged user namespaces must be allowed: sysctl kernel.unprivileged_userns_clone=1 (older Debian), ' +
  'user.max_user_namespaces above 0 (RHEL), an AppArmor profile for bwrap or ' +
  'kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu 23.10 and later); in a container also a seccomp profile that ' +
  'allows unshare and an unmasked /proc. Read-only paths must be readable by everybody when Tadpole runs as root.';

async function useOne(machine: Machine, signal: AbortSignal): Promise<void> {
  const spec = { runId: 'check', purpose: 'base', image: null, limits: LIMITS } as const;
  const sandbox = await openSandbox(machine, spec, (args) => args);
  try {
    const call = { id: 'check', argv: ['/bin/true'], timeoutMs: TIMEOUT_MS } as const;
    const { exitCode } = await sandbox.exec(call, { signal });
    if (exitCode !== 0)
      throw fault('sandbox_start_failed', { detail: `/bin/true inside ended with ${exitCode}` });
  } finally {
    await sandbox.destroy();
  }
}

/** Makes one real sandbox and runs a program in it; what stops that is `sandbox_unavailable`. */
export async function tryOut(machine: Machine, { signal }: { readonly signal: AbortSignal }): Promise<void> {
  try {
    await useOne(machine, signal);
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    throw fault('sandbox_unavailable', { detail: `${cause.message}. ${HINT}`, cause });
  }
}
