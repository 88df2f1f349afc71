import { z } from 'zod';
import type { ExecResult } from '../../sandbox/types.ts';
import type { Tool } from '../types.ts';
import { checkArguments, NumberLike, Text } from './arguments.ts';
import { describeStreams } from './describe-streams.ts';
import type { InSandbox } from './in-sandbox.ts';

const DEFAULT_TIMEOUT_MS = 120_000;
/** Above this, a `timeout` counts as milliseconds. */
const MAX_SECONDS = 1000;
/** Linux takes no argument over 128 KiB. */
const MAX_ARGUMENT_BYTES = 120_000;
/** Enough for what is shown of one stream, at up to four bytes a character. */
const KEEP = { headBytes: 128 * 1024, tailBytes: 128 * 1024 };

/**
 * The command comes on standard input and is bash's argument in the end, so that its messages and `$0` are those of
 * `bash -lc`.
 */
const SHORT = `c=$(cat; printf x); exec /bin/bash -lc "\${c%x}" </dev/null`;
/** For commands that are too long to be an argument: bash reads the text itself (case A07). */
const LONG = `exec /bin/bash -lc 'eval "$(cat <&9)" 9<&-' 9<&0 </dev/null`;

const Arguments = z.object({
  command: Text.refine((command) => !command.includes('\0'), 'must not contain a null byte'),
  timeout: NumberLike,
  timeout_ms: NumberLike,
});

/** Bash: one command in a new login shell, its exit code and both streams. */
export function createBashTool(sandbox: InSandbox): Tool {
  return {
    name: 'Bash',
    async run(args, context) {
      const checked = checkArguments(Arguments, args);
      if ('observation' in checked) return checked.observation;
      const asked = toTimeoutMs(checked.value);
      const command = Buffer.from(checked.value.command, 'utf8');
      const script = command.length > MAX_ARGUMENT_BYTES ? LONG : SHORT;
      const argv = ['/bin/sh', '-c', script] as const;
      const result = await sandbox.exec({ argv, stdin: command, timeoutMs: asked, keep: KEEP }, context);
      return describeStreams(firstLine(result, Math.min(asked, context.remainingMs)), result);
    },
  };
}

function toTimeoutMs({ timeout, timeout_ms: ms }: z.output<typeof Arguments>): number {
  if (typeof ms === 'number' && ms > 0) return ms;
  if (typeof timeout !== 'number' || timeout <= 0) return DEFAULT_TIMEOUT_MS;
  return timeout > MAX_SECONDS ? timeout : timeout * 1000;
}

function firstLine({ exitCode, signal, timedOut, outOfMemory }: ExecResult, limitMs: number): string {
  if (timedOut) return `Timed out after ${(limitMs / 1000).toFixed(1)}s`;
  const code = signal === null ? exitCode : -signal;
  return outOfMemory ? `Exit code: ${code} (out of memory)` : `Exit code: ${code}`;
}
