import type { ExecCall, ExecResult, Sandbox } from '../../sandbox/types.ts';
import type { ToolContext } from '../types.ts';

export type ToolSandbox = Pick<Sandbox, 'exec'>;

/** Makes calls for the tools of one run: ids of their own, and time within the run's. */
export interface InSandbox {
  exec(
    call: Omit<ExecCall, 'id' | 'timeoutMs'> & { readonly timeoutMs?: number },
    context: ToolContext,
  ): Promise<ExecResult>;
}

/** Longest time that a file tool may take, ms. */
const FILE_TIMEOUT_MS = 60_000;

export function createInSandbox(sandbox: ToolSandbox): InSandbox {
  let calls = 0;
  return {
    exec({ timeoutMs = FILE_TIMEOUT_MS, ...call }, { signal, remainingMs }) {
      calls += 1;
      const within = Math.max(1, Math.ceil(Math.min(timeoutMs, remainingMs)));
      return sandbox.exec({ ...call, id: `tool-${calls}`, timeoutMs: within }, { signal });
    },
  };
}
