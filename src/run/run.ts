/**
 * The run, told in its order. Three stretches, since two trust zones take turns: the forge side brings a run to the sandbox
 * side, that one makes and measures the change, and the forge side brings the result to people.
 */
import { type AdmissionRules, admit } from '../admission/admit.ts';
import { type FactsDeps, gatherFacts } from '../admission/facts.ts';
import type { Admission } from '../admission/types.ts';
import { fault } from '../errors.ts';
import type { Forge } from '../forge/types.ts';
import type { Git } from '../git.ts';
import type { Mirrors } from '../mirror/mirror.ts';
import type { Outcome } from '../outcome.ts';
import type { Secrets } from '../secrets.ts';
import type { Artifacts, Run, Store } from '../store/types.ts';
import { draftBody, draftTitle } from '../texts/draft.ts';
import { decideOutcome } from './decide-outcome.ts';
import type { Held } from './lease.ts';
import { prepare } from './prepare.ts';
import { type Publication, publish } from './publish.ts';
import { report, reportProgress } from './report.ts';
import { inStage } from './stage.ts';

export interface ForgeSide extends FactsDeps {
  readonly forge: Forge;
  readonly store: Store;
  readonly rules: AdmissionRules;
  readonly git: Git;
  readonly mirrors: Mirrors;
  readonly artifacts: Artifacts;
  readonly secrets: Pick<Secrets, 'redact'>;
  /** For temporary repositories. */
  readonly folder: string;
}

/** Takes a run as far as the forge side can: to the sandbox side, or to its end. */
export async function takeForgeSide(side: ForgeSide, held: Held): Promise<void> {
  if (held.run.state === 'queued') return bringToSandbox(side, held);
  return bringToPeople(side, held);
}

/** Stages 2 to 4: admission, then the base commit as a pack. */
async function bringToSandbox(side: ForgeSide, held: Held): Promise<void> {
  const { signal } = held;
  const admission = await inStage(held, 'admission', {
    body: () => decideAdmission(side, held),
    summarize: (decided) =>
      decided.kind === 'admitted' ? { permission: decided.permission } : { refused: decided.code },
  });
  if (admission.kind === 'refused') {
    const outcomeDetails = { code: admission.code, ...admission.details };
    await held.advance(
      { state: 'worked', outcome: 'refused', outcomeDetails },
      { stage: 'admission', kind: 'refused', data: { code: admission.code } },
    );
    return;
  }
  const run = await held.advance({ admitted: admission }, { stage: 'queue', kind: 'progress', data: {} });
  await tellQueued(side, held, run);
  const prepared = await inStage(held, 'prepare', {
    body: () => prepare(side, run, { signal }),
    summarize: ({ base, files, packBytes }) => ({ commit: base.commit, files, packBytes }),
  });
  await held.advance(
    { state: 'prepared', prepared },
    { stage: 'queue', kind: 'progress', data: { side: 'sandbox' } },
  );
}

/** The first words on the issue. A courtesy: a forge that stumbles here costs the run nothing, only a lost lease ends it. */
async function tellQueued(side: ForgeSide, held: Held, run: Run): Promise<void> {
  await held.fence();
  try {
    await reportProgress(side.forge, { run, progress: null, now: side.now() }, { signal: held.signal });
  } catch (err) {
    held.signal.throwIfAborted();
    held.log.warn({ err }, 'queued run not told');
  }
}

async function decideAdmission(side: ForgeSide, { run, signal, ...held }: Held): Promise<Admission> {
  const facts = await gatherFacts(side, run, { signal });
  const decided = admit(run.trigger, facts, side.rules);
  if (decided.kind === 'refused') return decided;
  const isOnly = await side.store.activate(run.id, run.epoch);
  held.log.debug({ isOnly }, 'admission decided');
  return isOnly ? decided : { kind: 'refused', code: 'already_running', details: {} };
}

/** Stages 9 and 10: the draft, if there is one to open, and what people read. */
async function bringToPeople(side: ForgeSide, held: Held): Promise<void> {
  const { signal } = held;
  const run = held.run.outcome ? held.run : await conclude(side, held);
  const missing = await inStage(held, 'report', {
    body: () => report(side.forge, { held, run }, { signal }),
    summarize: (failed) => ({ missing: failed.length }),
  });
  if (missing.length > 0)
    throw fault('forge_unavailable', { detail: `not reported yet: ${missing.join(', ')}` });
  await held.advance({ state: 'ended' }, { stage: 'report', kind: 'ended', data: { outcome: run.outcome } });
  held.log.info({ outcome: run.outcome, ...toTotals(run) }, 'run finished');
}

function toTotals({ createdAt, worked }: Run) {
  const { turns = 0, tokens = 0 } = worked?.agent ?? {};
  return { durationMs: Date.now() - Date.parse(createdAt), turns, tokens };
}

/** Decides how the run ends, publishing what is worth a draft, and stores it. */
async function conclude(side: ForgeSide, held: Held): Promise<Run> {
  const { run, signal } = held;
  if (!run.worked) throw fault('internal', { detail: 'a run came to be published without a result' });
  const decision = decideOutcome(run.worked);
  if (decision.outcome !== 'pr_opened') {
    const { outcome, details } = decision;
    return store(held, outcome, details);
  }
  // The title becomes the commit's first line as well, which no forge call could redact any more.
  const texts = { title: side.secrets.redact(draftTitle(run)), body: draftBody(run) };
  const publication = await inStage(held, 'publish', {
    body: () => publish(side, { held, texts }, { signal }),
    summarize: (made) =>
      made.kind === 'published'
        ? { draft: made.published.draft.number, baseMoved: made.baseMoved }
        : { refused: made.code },
  });
  return storePublication(held, publication);
}

async function storePublication(held: Held, publication: Publication): Promise<Run> {
  if (publication.kind === 'refused')
    return store(held, 'publish_refused', { code: publication.code, ...publication.details });
  const { published, baseMoved } = publication;
  const details: Record<string, string> = baseMoved ? { baseMoved: 'true' } : {};
  const update = { published, outcome: 'pr_opened', outcomeDetails: details } as const;
  return held.advance(update, { stage: 'publish', kind: 'progress', data: { url: published.draft.webUrl } });
}

function store(held: Held, outcome: Outcome, outcomeDetails: Readonly<Record<string, string>>): Promise<Run> {
  return held.advance({ outcome, outcomeDetails }, { stage: 'report', kind: 'progress', data: { outcome } });
}
