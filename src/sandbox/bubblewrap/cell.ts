import type { SandboxLimits } from '../types.ts';
import type { RootPlan } from './bwrap-arguments.ts';
import type { ControlGroup, ControlGroupPlace } from './host/control-group.ts';
import type { HostUser } from './host/host-user.ts';

/** What this machine offers every sandbox; found once per process (host/prepare-machine.ts). */
export interface Machine {
  readonly stateDir: string;
  readonly minFreeBytes: number;
  readonly bwrapPath: string;
  readonly version: string;
  readonly root: RootPlan;
  readonly seccomp: Uint8Array;
  /** Descriptors that would leak into children, see host/inherited-files.ts. */
  readonly inheritedFiles: readonly number[];
  /** Where control groups can be made, or null. */
  readonly controlGroups: ControlGroupPlace | null;
}

/** One sandbox's resources on this machine. */
export interface Cell {
  readonly name: string;
  readonly folder: string;
  readonly machine: Machine;
  readonly limits: SandboxLimits;
  readonly user: HostUser | null;
  readonly controlGroup: ControlGroup | null;
  /** Aborted, with the fault that calls end in, when the sandbox is destroyed or past its deadline. */
  readonly closed: AbortSignal;
  /** Tests take single controls away here; see `alterArguments` of createBubblewrap. */
  readonly alterArguments: (args: string[]) => string[];
}
