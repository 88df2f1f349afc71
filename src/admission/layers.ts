import type { PolicyFile } from './policy-schema.ts';
import type { Policy } from './types.ts';

/** Limits of the server that no repository can raise. */
export interface Caps {
  readonly steps: number;
  readonly minutes: number;
  readonly filesChanged: number;
  readonly runsADay: number;
}

const TEST_MINUTES = 20;

/**
 * The policy in force: the file's wishes within the server's caps. A layer can narrow, never widen (T52): what asks for more
 * than a cap gets the cap.
 */
export function layerPolicy(
  file: PolicyFile,
  { caps, label }: { readonly caps: Caps; readonly label: string },
): Policy {
  const { test, limits = {} } = file;
  const within = (wish: number | undefined, cap: number) => Math.min(wish ?? cap, cap);
  return {
    enabled: file.enabled ?? true,
    label: file.label ?? label,
    image: file.image ?? null,
    setup: file.setup ?? null,
    test: test
      ? {
          command: test.command,
          report: { format: test.report?.format ?? 'junit', path: test.report?.path ?? null },
          timeoutMinutes: within(test.timeout_minutes ?? Math.min(TEST_MINUTES, caps.minutes), caps.minutes),
        }
      : null,
    paths: { deny: file.paths?.deny ?? [] },
    limits: {
      steps: within(limits.steps, caps.steps),
      minutes: within(limits.minutes, caps.minutes),
      filesChanged: within(limits.files_changed, caps.filesChanged),
      runsADay: within(limits.runs_a_day, caps.runsADay),
    },
  };
}
