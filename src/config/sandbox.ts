import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { Report } from './problems.ts';
import { listOf, oneOf, type ReadOnlyPath, readOnlyPath, whole } from './values.ts';
import { optional, withDefault } from './variable.ts';

const MIB = 1024 * 1024;

/** How sandboxes are made, and what each may use. */
export interface SandboxConfig {
  readonly kind: 'bubblewrap';
  /** Folders of this machine that sandboxes see besides the system's, read-only. */
  readonly readOnlyPaths: readonly ReadOnlyPath[];
  readonly memoryBytes: number;
  readonly processes: number;
  /** Largest single file. */
  readonly fileBytes: number;
}

export const SandboxVariables = z.object({
  SANDBOX: withDefault(oneOf(['bubblewrap']), 'bubblewrap', 'What makes the sandboxes'),
  SANDBOX_READ_ONLY_PATHS: optional(
    listOf(readOnlyPath),
    'Folders that sandboxes may read besides the system ones, as HOST_PATH or HOST_PATH:INSIDE_PATH, with commas',
  ),
  SANDBOX_MEMORY_MIB: withDefault(whole(64, 1_048_576), '4096', 'Memory of one sandbox'),
  SANDBOX_PROCESSES: withDefault(whole(16, 32_768), '512', 'Processes and threads of one sandbox'),
  SANDBOX_FILE_MIB: withDefault(whole(1, 1_048_576), '2048', 'Largest file that a sandbox may write'),
});

/** The sandbox's section; paths that do not exist are reported. */
export function toSandbox(values: z.output<typeof SandboxVariables>, report: Report): SandboxConfig {
  const readOnlyPaths = values.SANDBOX_READ_ONLY_PATHS ?? [];
  for (const { host } of readOnlyPaths) {
    if (!existsSync(host)) report('SANDBOX_READ_ONLY_PATHS', `names ${host}, which does not exist`);
  }
  return {
    kind: values.SANDBOX,
    readOnlyPaths,
    memoryBytes: values.SANDBOX_MEMORY_MIB * MIB,
    processes: values.SANDBOX_PROCESSES,
    fileBytes: values.SANDBOX_FILE_MIB * MIB,
  };
}
