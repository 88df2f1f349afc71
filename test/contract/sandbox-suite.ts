import { after, before, describe } from 'node:test';
import type { Sandbox, SandboxProvider } from '../../src/sandbox/types.ts';
import { never, specFor } from '../fakes/sandboxes.ts';
import { callTests } from './sandbox-calls.ts';
import { fileTests } from './sandbox-files.ts';
import { lifeTests } from './sandbox-life.ts';

export interface SandboxWorld {
  readonly provider: SandboxProvider;
  /** Names of everything of ours that exists outside: folders, pods, groups. */
  leftovers(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** What the parts of the suite work on; made before the first test. */
export interface Subject {
  readonly world: () => SandboxWorld;
  /** One that tests share, as the calls of an agent do. */
  readonly sandbox: () => Sandbox;
}

function made<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('used before it was made');
  return value;
}

/** The prose of src/sandbox/types.ts as assertions, for any backend. */
export function describeSandbox(path: string, open: () => Promise<SandboxWorld>): void {
  describe(path, () => {
    let world: SandboxWorld | undefined;
    let sandbox: Sandbox | undefined;

    before(async () => {
      world = await open();
      sandbox = await world.provider.create(specFor('contract'), { signal: never() });
    });
    after(async () => {
      await sandbox?.destroy();
      await world?.close();
    });

    const subject: Subject = { world: () => made(world), sandbox: () => made(sandbox) };
    callTests(subject);
    fileTests(subject);
    lifeTests(subject);
  });
}
