/**
 * The sandbox port: a place where untrusted code runs on a copy of the repository, without network and without secrets.
 *
 * Who calls it: the sandbox side only. `create` once per sandbox (one for the agent, one for each verification run, never
 * shared), `exec` many times but one at a time per sandbox, `destroy` always, in every ending.
 *
 * Life: `create` resolves when the sandbox can take calls; everything inside runs as an unprivileged user, with an empty
 * work tree at `WORKSPACE`, a writable HOME and TMPDIR of its own, read-only system folders, and no network but loopback.
 * A sandbox dies alone at its deadline even if every one of our processes is dead, together with all that runs in it.
 *
 * exec: runs one program with exactly this argv (no shell unless argv names one), in a process tree of its own. The call id
 * makes it happen once: the same id never runs twice. A non-zero exit is a result. At the time-out, at abort and at
 * `destroy` the whole process tree is gone, also what called setsid or forked twice. Processes that a finished call leaves
 * in the background are ended too: a call's effects end with the call. An unknown ending (lost transport, missing exit
 * record) is the fault `sandbox_lost`, never a result.
 *
 * Output of any size is taken with flat memory: head and tail are kept, the middle is counted. `stdout` may instead be
 * streamed to a sink, for transfers.
 *
 * Faults: `sandbox_*` of the catalogue. Our trouble never reaches the model as an observation.
 */

/** The work tree inside every sandbox. Absolute, the same for every backend, so that paths in reports compare. */
export const WORKSPACE = '/workspace';
/** Scratch folder for Tadpole's own files in a sandbox (reports, git directories, scripts); outside the work tree. */
export const SCRATCH = '/tadpole';

export interface SandboxLimits {
  readonly memoryBytes: number;
  readonly processes: number;
  /** Largest single file that may be written. */
  readonly fileBytes: number;
  /** Whole life of the sandbox, ms. */
  readonly lifetimeMs: number;
}

export interface SandboxSpec {
  readonly runId: string;
  /** What it is for; part of its name and of logs. */
  readonly purpose: 'agent' | 'base' | 'patched';
  /** The container image of the policy; backends without images ignore it and say so in `describe()`. */
  readonly image: string | null;
  readonly limits: SandboxLimits;
}

export interface ExecCall {
  /** Unique within the sandbox; made by the caller. */
  readonly id: string;
  readonly argv: readonly [string, ...string[]];
  readonly cwd?: string;
  /** Added to the sandbox's own small environment (PATH, HOME, TMPDIR, LANG). */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array | AsyncIterable<Uint8Array>;
  readonly timeoutMs: number;
  /** Bytes kept of each stream: the first and the last so many. Default 32 KiB each. */
  readonly keep?: { readonly headBytes: number; readonly tailBytes: number };
  /** When given, stdout is handed over piece by piece (awaited: back-pressure) and not kept. Throwing ends the call. */
  readonly onStdout?: (piece: Uint8Array) => void | Promise<void>;
}

/** What was kept of a stream. `omittedBytes` lie between head and tail; when 0, head + tail is the whole stream. */
export interface KeptOutput {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly omittedBytes: number;
}

/** Same keys whatever happened. Exactly one of exitCode and signal is non-null unless timedOut, where both may be null. */
export interface ExecResult {
  readonly exitCode: number | null;
  /** Signal number that ended the program, such as 9. */
  readonly signal: number | null;
  readonly stdout: KeptOutput;
  readonly stderr: KeptOutput;
  readonly timedOut: boolean;
  /** True when the kernel ended something of the call for want of memory, where the backend can know. */
  readonly outOfMemory: boolean;
  readonly durationMs: number;
}

/** One thing that the probe looked at from inside. */
export interface ProbeFinding {
  /** Closed set per backend, snake_case: `network_interfaces`, `host_processes`, … */
  readonly check: string;
  readonly closed: boolean;
  /** What was seen, for the operator. */
  readonly seen: string;
}

/** Isolation as measured from inside the sandbox; part of the run's record. */
export interface Isolation {
  readonly isolated: boolean;
  readonly findings: readonly ProbeFinding[];
}

export interface Sandbox {
  readonly name: string;
  exec(call: ExecCall, options: { readonly signal: AbortSignal }): Promise<ExecResult>;
  /** Writes one file, bytes as they come, parents made, replaced atomically; length and SHA-256 are checked on the far side. */
  put(path: string, content: Uint8Array | AsyncIterable<Uint8Array>, options: PutOptions): Promise<void>;
  /** Reads one file piece by piece. A missing file is `null`; more than `maxBytes` ends in the fault `sandbox_transfer_failed`. */
  get(path: string, options: GetOptions): Promise<Uint8Array | null>;
  /** Looks at the isolation from inside. Findings are a value; whoever calls decides (the run refuses unless isolated). */
  probe(options: { readonly signal: AbortSignal }): Promise<Isolation>;
  /** Ends everything and removes every trace. Safe twice, and after any failure. Takes no signal: it must happen. */
  destroy(): Promise<void>;
}

export interface PutOptions {
  readonly signal: AbortSignal;
  /** Permission bits, default 0o644. */
  readonly mode?: number;
}

export interface GetOptions {
  readonly signal: AbortSignal;
  readonly maxBytes: number;
}

export interface SandboxProvider {
  /** For drafts and records: backend, version, what it cannot limit. */
  describe(): { readonly kind: string; readonly version: string; readonly notLimited: readonly string[] };
  /** Refuses with `sandbox_unavailable` (and what to change) where this machine cannot make sandboxes. Called at start-up. */
  check(options: { readonly signal: AbortSignal }): Promise<void>;
  create(spec: SandboxSpec, options: { readonly signal: AbortSignal }): Promise<Sandbox>;
  /** Removes what no live run owns: folders and processes of earlier lives of this worker. Returns the names removed. */
  reap(isLive: (runId: string) => Promise<boolean>): Promise<readonly string[]>;
}
