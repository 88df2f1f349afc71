import type { SandboxProvider } from '../types.ts';
import type { Cell, Machine } from './cell.ts';
import { type BubblewrapOptions, parseBubblewrapOptions } from './config.ts';
import { prepareMachine } from './host/prepare-machine.ts';
import { reapSandboxes } from './host/reap.ts';
import { tryOut } from './host/try-out.ts';
import { openSandbox } from './sandbox.ts';

/** For tests of the probe alone: takes single controls away from the argument list. */
export interface TestSeam {
  readonly alterArguments: Cell['alterArguments'];
}

const NEVER_LIMITED = [
  'disk space of all files together (each file is limited)',
  'processor time',
  'disk bandwidth',
  'the container image: the machine itself is the image',
];

function notLimited(machine: Machine | null): string[] {
  if (machine?.controlGroups) return NEVER_LIMITED;
  return ['memory of all processes together (each process is limited)', ...NEVER_LIMITED];
}

/**
 * Sandboxes on this machine by bubblewrap 0.8 or later: see host/ for what is set up outside, call/ for how a call runs.
 * Nothing happens before `check` or the first `create`.
 */
export function createBubblewrap(options: BubblewrapOptions, seam?: TestSeam): SandboxProvider {
  const config = parseBubblewrapOptions(options);
  let prepared: Promise<Machine> | null = null;
  let found: Machine | null = null;

  async function machineOnce(): Promise<Machine> {
    prepared ??= prepareMachine(config);
    try {
      found = await prepared;
      return found;
    } catch (thrown) {
      // What was missing may be installed by the next time.
      prepared = null;
      throw thrown;
    }
  }

  return {
    describe: () => ({
      kind: 'bubblewrap',
      version: found?.version ?? 'unknown',
      notLimited: notLimited(found),
    }),
    async check({ signal }) {
      await tryOut(await machineOnce(), { signal });
    },
    async create(spec, { signal }) {
      signal.throwIfAborted();
      return await openSandbox(await machineOnce(), spec, seam?.alterArguments ?? ((args) => args));
    },
    async reap(isLive) {
      return await reapSandboxes(await machineOnce(), isLive);
    },
  };
}
