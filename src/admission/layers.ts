import type { PolicyFile } from './policy-schema.ts';
import type { Policy } from './types.ts';

/** Limits of the server that no repository can raise. */
export interface Caps {
  readonly steps: number;
  readonly minutes: number;
  readonly filesChanged: number;
  readonly runsADay: number;
}

/** The policy in force, and which wishes of the file were above a cap, for people. */
export interface LayeredPolicy {
  readonly policy: Policy;
  readonly narrowed: readonly string[];
}

const TEST_MINUTES = 20;

/**
 * The file's wishes within the server's caps. A layer can narrow, never widen (T52): what asks for more than a cap gets the
 * cap and a note, so that a server can lower its caps without breaking every repository's file. Pure.
 */
export function layerPolicy(
  file: PolicyFile,
  { caps, label }: { readonly caps: Caps; readonly label: string },
): LayeredPolicy {
  const { test, limits = {} } = file;
  const narrowed: string[] = [];
  const within = (name: string, wish: number | undefined, cap: number) => {
    if (wish !== undefined && wish > cap) narrowed.push(`\`${name}\` ${wish}, the server allows ${cap}`);
    return Math.min(wish ?? cap, cap);
  };
  const policy: Policy = {
    enabled: file.enabled ?? true,
    label: file.label ?? label,
    image: file.image ?? null,
    setup: file.setup ?? null,
    test: test
      ? {
          command: test.command,
          report: { format: test.report?.format ?? 'junit', path: test.report?.path ?? null },
          timeoutMinutes: Math.min(
            within('test.timeout_minutes', test.timeout_minutes, caps.minutes),
            test.timeout_minutes ?? TEST_MINUTES,
          ),
        }
      : null,
    paths: { deny: file.paths?.deny ?? [] },
    limits: {
      steps: within('limits.steps', limits.steps, caps.steps),
      minutes: within('limits.minutes', limits.minutes, caps.minutes),
      filesChanged: within('limits.files_changed', limits.files_changed, caps.filesChanged),
      runsADay: within('limits.runs_a_day', limits.runs_a_day, caps.runsADay),
    },
  };
  return { policy, narrowed };
}
