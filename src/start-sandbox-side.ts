import { join } from 'node:path';
import { createTools } from './agent/tools/toolbox.ts';
import type { Base, Started } from './app.ts';
import type { Config } from './config.ts';
import { createOpenAiModel } from './model/openai.ts';
import { findProfile } from './model/profiles/find-profile.ts';
import { type SandboxSide, takeSandboxSide } from './run/sandbox-side.ts';
import { createBubblewrap } from './sandbox/bubblewrap/bubblewrap.ts';
import { openGit, startSide } from './start-side.ts';

export interface SandboxSideConfig {
  readonly model: Config<'model'>['model'];
  readonly sandbox: Config<'sandbox'>['sandbox'];
  /** Whether the endpoint plays back a recording. */
  readonly recorded: boolean;
}

/** The sandbox side: agent, change, verification. Holds no credential of the forge. */
export async function startSandboxSide(
  base: Base,
  { model, sandbox, recorded }: SandboxSideConfig,
): Promise<Started> {
  const { config, log, secrets, artifacts, store, ca } = base;
  const found = findProfile(model.profile);
  const { contextTokens, turnTokens } = model;
  const limits = {
    ...found.limits,
    ...(contextTokens !== null && { contextTokens }),
    ...(turnTokens !== null && { turnTokens }),
  };
  const provider = createBubblewrap({
    stateDir: join(config.dataFolder, 'sandboxes'),
    readOnlyPaths: sandbox.readOnlyPaths,
  });
  await provider.check({ signal: AbortSignal.timeout(30_000) });
  const removed = await provider.reap((runId) => store.isLive(runId));
  if (removed.length > 0) log.info({ removed: removed.length }, 'sandboxes of ended runs removed');
  const side: SandboxSide = {
    git: openGit(base),
    folder: join(config.dataFolder, 'tmp'),
    artifacts,
    provider,
    profile: { ...found, limits },
    model: createOpenAiModel({
      ...model,
      sampling: found.sampling,
      recorded,
      log,
      ...(ca !== null && { ca }),
    }),
    createTools,
    limits: { memoryBytes: sandbox.memoryBytes, processes: sandbox.processes, fileBytes: sandbox.fileBytes },
    secrets,
  };
  return startSide(base, 'sandbox', (held) => takeSandboxSide(side, held));
}
