/** Stages 5 to 8, on the side that has sandboxes and no credential: sandbox, agent, change, verification. */
import { runAgent } from '../agent/loop.ts';
import type { AgentEnd, Tool } from '../agent/types.ts';
import { fault } from '../errors.ts';
import type { Model, Profile } from '../model/types.ts';
import type { Isolation, Sandbox, SandboxLimits, SandboxProvider, SandboxSpec } from '../sandbox/types.ts';
import type { Secrets } from '../secrets.ts';
import type { Artifacts, Run } from '../store/types.ts';
import type { Verification } from '../verification/types.ts';
import { type VerifiedTree, verify } from '../verification/verify.ts';
import { type ChangeDeps, collectChange } from './change.ts';
import type { Held } from './lease.ts';
import { inStage } from './stage.ts';
import type { Change, Worked } from './types.ts';
import { fillWorkspace } from './workspace.ts';

export interface SandboxSide extends Omit<ChangeDeps, 'log'> {
  readonly artifacts: Artifacts;
  readonly provider: SandboxProvider;
  readonly model: Model;
  readonly profile: Profile;
  readonly createTools: (sandbox: Sandbox) => readonly Tool[];
  readonly limits: Omit<SandboxLimits, 'lifetimeMs'>;
  readonly secrets: Secrets;
}

/** The stored parts of a run that this side works from. */
type Ready = Run & {
  readonly admitted: NonNullable<Run['admitted']>;
  readonly prepared: NonNullable<Run['prepared']>;
};

const MINUTE_MS = 60_000;
/** What a sandbox may live beyond its work: filling it, probing, fetching results. */
const MARGIN_MS = 15 * MINUTE_MS;

/** Takes a prepared run to its result. The agent's sandbox is gone before the first one of verification is made. */
export async function takeSandboxSide(side: SandboxSide, held: Held): Promise<void> {
  const run = toReady(held.run);
  const sandbox = await side.provider.create(specFor(side, { run, purpose: 'agent' }), {
    signal: held.signal,
  });
  let made: Made;
  try {
    made = await makeChange(side, { held, run, sandbox });
  } finally {
    await sandbox
      .destroy()
      .catch((err: unknown) => held.log.warn({ err, sandbox: sandbox.name }, 'sandbox not destroyed'));
  }
  const verification =
    made.change.kind === 'changed' ? await measure(side, { held, run, change: made.change }) : null;
  const worked: Worked = { sandbox: side.provider.describe(), ...made, verification };
  await held.advance(
    { state: 'worked', worked },
    { stage: 'queue', kind: 'progress', data: { side: 'forge' } },
  );
}

function toReady(run: Run): Ready {
  const { admitted, prepared } = run;
  if (!admitted || !prepared)
    throw fault('internal', { detail: 'a run came to the sandbox side without a base' });
  return { ...run, admitted, prepared };
}

function specFor(
  { limits }: SandboxSide,
  { run, purpose }: { readonly run: Ready; readonly purpose: SandboxSpec['purpose'] },
): SandboxSpec {
  const { policy } = run.admitted;
  const minutes = purpose === 'agent' ? policy.limits.minutes : 2 * (policy.test?.timeoutMinutes ?? 0);
  return {
    runId: run.id,
    purpose,
    image: policy.image,
    limits: { ...limits, lifetimeMs: minutes * MINUTE_MS + MARGIN_MS },
  };
}

type Made = Pick<Worked, 'isolation' | 'agent' | 'change'>;

interface Place {
  readonly held: Held;
  readonly run: Ready;
  readonly sandbox: Sandbox;
}

async function makeChange(side: SandboxSide, place: Place): Promise<Made> {
  const { held, run, sandbox } = place;
  const { signal } = held;
  const before = await inStage(held, 'sandbox', {
    body: async () => {
      const isolation = await probe(sandbox, signal);
      const { base, pack } = run.prepared;
      await fillWorkspace(
        sandbox,
        { packs: [await side.artifacts.open(pack)], tree: base.tree, commit: base.commit },
        { signal },
      );
      return isolation;
    },
    summarize: ({ findings }) => ({
      closed: findings.filter(({ closed }) => closed).length,
      probes: findings.length,
    }),
  });
  const transcript = `runs/${run.id}/transcript.json`;
  const end = await inStage(held, 'agent', {
    body: () => work(side, { ...place, transcript }),
    summarize: ({ turns, exitReason, tokens }) => ({ turns, exitReason, tokens }),
  });
  const after = await probe(sandbox, signal);
  const change = await inStage(held, 'change', {
    body: () => takeChange(side, { ...place, end }),
    summarize: summarizeChange,
  });
  const { fault: _, ...agent } = end;
  return { isolation: { before, after }, agent: { ...agent, transcript }, change };
}

/** Looks at the isolation from inside. Anything open ends the run: it is never retried silently. */
async function probe(sandbox: Sandbox, signal: AbortSignal): Promise<Isolation> {
  const isolation = await sandbox.probe({ signal });
  if (isolation.isolated) return isolation;
  const open = isolation.findings
    .filter(({ closed }) => !closed)
    .map(({ check, seen }) => `${check}: ${seen}`);
  throw fault('sandbox_not_isolated', { detail: `open: ${open.join('; ') || 'the probe gave no findings'}` });
}

async function work(
  side: SandboxSide,
  { held, run, sandbox, transcript }: Place & { readonly transcript: string },
): Promise<AgentEnd> {
  const { policy, pinned } = run.admitted;
  const { profile, model, secrets, artifacts } = side;
  const steps = Math.min(profile.limits.steps, policy.limits.steps);
  const limits = {
    ...profile.limits,
    steps,
    wallMs: Math.min(profile.limits.wallMs, policy.limits.minutes * MINUTE_MS),
  };
  const end = await runAgent(
    {
      model,
      profile,
      limits,
      tools: side.createTools(sandbox),
      secrets,
      log: held.log,
      save: async (text) => void (await artifacts.put(transcript, Buffer.from(text))),
      onTurn: ({ turn }) => held.note('agent', 'progress', { turn, maxTurns: steps }),
    },
    { text: pinned.text, testCommand: policy.test?.command ?? null },
    { signal: held.signal },
  );
  held.signal.throwIfAborted();
  if (end.fault) throw end.fault;
  return end;
}

async function takeChange(
  side: SandboxSide,
  { held, run, sandbox, end }: Place & { readonly end: AgentEnd },
): Promise<Change> {
  // A model that was stopped is not offered to anybody: its half-way tree is not looked at.
  if (end.exitReason !== 'agent') return { kind: 'none', ignored: 0 };
  const request = { runId: run.id, sandbox, prepared: run.prepared, policy: run.admitted.policy };
  return collectChange({ ...side, log: held.log }, request, { signal: held.signal });
}

function summarizeChange(change: Change): Readonly<Record<string, unknown>> {
  if (change.kind !== 'changed') return { result: change.kind };
  const sum = (key: 'additions' | 'deletions') =>
    change.files.reduce((total, file) => total + (file[key] ?? 0), 0);
  return { files: change.files.length, additions: sum('additions'), deletions: sum('deletions') };
}

type ChangedTree = Extract<Change, { kind: 'changed' }>;

async function measure(
  side: SandboxSide,
  { held, run, change }: { readonly held: Held; readonly run: Ready; readonly change: ChangedTree },
): Promise<Verification> {
  const createFilled = async (purpose: VerifiedTree, { signal }: { readonly signal: AbortSignal }) => {
    const sandbox = await side.provider.create(specFor(side, { run, purpose }), { signal });
    try {
      const { base, pack } = run.prepared;
      const packs = [await side.artifacts.open(pack)];
      if (purpose === 'patched') packs.push(await side.artifacts.open(change.pack));
      const at =
        purpose === 'base' ? { tree: base.tree, commit: base.commit } : { tree: change.tree, commit: null };
      await probe(sandbox, signal);
      await fillWorkspace(sandbox, { packs, ...at }, { signal });
      return sandbox;
    } catch (err) {
      await sandbox.destroy();
      throw err;
    }
  };
  return inStage(held, 'verification', {
    body: () => verify({ createFilled, log: held.log }, run.admitted.policy, { signal: held.signal }),
    summarize: ({ verdict, comparison }) => ({
      verdict,
      fixed: comparison?.fixed.length ?? 0,
      broken: comparison?.broken.length ?? 0,
      unchanged: (comparison?.stillPassing.length ?? 0) + (comparison?.stillFailing.length ?? 0),
    }),
  });
}
