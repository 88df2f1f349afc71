import { posix } from 'node:path';
import type { TestPolicy } from '../../src/admission/types.ts';
import type { Sandbox } from '../../src/sandbox/types.ts';
import type { Verification } from '../../src/verification/types.ts';
import { type VerifiedTree, verify } from '../../src/verification/verify.ts';
import { gatherLog, type LogLine } from './log-lines.ts';
import { never, openBubblewrap, specFor } from './sandboxes.ts';

export type Files = Readonly<Record<string, string>>;

export interface Trees {
  readonly base: Files;
  /** Files that differ from base; all others are the same. */
  readonly patched?: Files;
}

export interface VerifyingWorld {
  /** Verifies real trees in real sandboxes. `setup` and memory as a policy and a server would have them. */
  verify(
    trees: Trees,
    test: Partial<TestPolicy> & Pick<TestPolicy, 'command'>,
    rest?: { readonly setup?: string; readonly memoryBytes?: number; readonly signal?: AbortSignal },
  ): Promise<Verification>;
  /** Names of the sandboxes that were made and not destroyed. */
  alive(): readonly string[];
  readonly lines: readonly LogLine[];
  close(): Promise<void>;
}

const FOLDER = '/opt/node';

/** Bubblewrap with pytest from the system and this very node, as an operator would mount it. */
export async function openVerifying(): Promise<VerifyingWorld> {
  const world = await openBubblewrap({
    readOnlyPaths: [{ host: process.execPath, inside: posix.join(FOLDER, 'node') }],
    path: `${FOLDER}:/usr/local/bin:/usr/bin:/bin`,
  });
  const { log, lines } = gatherLog();
  const alive = new Set<string>();

  const createFilled = async (files: Files, memoryBytes: number): Promise<Sandbox> => {
    const sandbox = await world.provider.create(specFor('run-1', { memoryBytes }), { signal: never() });
    alive.add(sandbox.name);
    for (const [path, text] of Object.entries(files))
      await sandbox.put(`/workspace/${path}`, Buffer.from(text), { signal: never() });
    const destroy = async () => {
      await sandbox.destroy();
      alive.delete(sandbox.name);
    };
    return { ...sandbox, destroy };
  };

  return {
    lines,
    alive: () => [...alive],
    close: () => world.close(),
    verify({ base, patched = {} }, test, { setup, memoryBytes = 512 * 1024 * 1024, signal = never() } = {}) {
      const filesOf = (tree: VerifiedTree) => (tree === 'base' ? base : { ...base, ...patched });
      const whole: TestPolicy = { report: { format: 'junit', path: null }, timeoutMinutes: 2, ...test };
      return verify(
        { createFilled: (tree) => createFilled(filesOf(tree), memoryBytes), log },
        { setup: setup ?? null, test: whole },
        { signal },
      );
    },
  };
}
