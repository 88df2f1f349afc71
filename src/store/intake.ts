import type { Transaction } from 'kysely';
import { ulid } from 'ulid';
import type { CancelTrigger, LabelTrigger, Trigger } from '../webhook/trigger.ts';
import type { Database } from './database.ts';
import { toRun } from './rows.ts';
import type { Tables } from './tables.ts';
import type { Acceptance, Run } from './types.ts';

type Work = Transaction<Tables>;

/** See `Store.acceptLabel`. Concurrent calls for one delivery or intent wait for each other at the unique keys. */
export function acceptLabel(db: Database, trigger: LabelTrigger): Promise<Acceptance> {
  return db.transaction().execute(async (work): Promise<Acceptance> => {
    if (await recordDelivery(work, trigger)) {
      const created = await createRun(work, trigger, 1);
      const run = created ?? (await newestOf(work, trigger));
      if (run) await linkDelivery(work, trigger, run.id);
      return created ? { kind: 'created', run: created } : { kind: 'duplicate', run };
    }
    const known = await newestOf(work, trigger);
    if (known?.state !== 'ended' || known.outcome !== 'faulted') return { kind: 'duplicate', run: known };
    const next = await createRun(work, trigger, known.generation + 1);
    if (!next) return { kind: 'duplicate', run: await newestOf(work, trigger) };
    await linkDelivery(work, trigger, next.id);
    return { kind: 'created', run: next };
  });
}

/** See `Store.acceptCancel`. A delivery that is known has done its work: redelivered later it must not hit a newer run. */
export function acceptCancel(db: Database, trigger: CancelTrigger): Promise<string | null> {
  return db.transaction().execute(async (work) => {
    if (!(await recordDelivery(work, trigger))) return deliveredRun(work, trigger);
    const marked = await work
      .updateTable('tadpole.runs')
      .set((eb) => ({
        cancel_requested: eb.fn.coalesce('cancel_requested', eb.val(trigger.reason)),
      }))
      .where('forge', '=', trigger.forge)
      .where('repository_id', '=', String(trigger.repository.id))
      .where('issue', '=', String(trigger.issue))
      .where('state', '<>', 'ended')
      .$if(trigger.label !== null, (query) => query.where('label', '=', trigger.label ?? ''))
      .returning(['id', 'active'])
      .execute();
    const run = marked.find((row) => row.active) ?? marked[0];
    if (run) await linkDelivery(work, trigger, run.id);
    return run?.id ?? null;
  });
}

/** False when this delivery was seen before. */
async function recordDelivery(work: Work, trigger: Trigger): Promise<boolean> {
  const row = await work
    .insertInto('tadpole.deliveries')
    .values({ forge: trigger.forge, delivery_id: trigger.deliveryId, kind: trigger.kind, run_id: null })
    .onConflict((conflict) => conflict.columns(['forge', 'delivery_id']).doNothing())
    .returning('delivery_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Null when this generation of the intent exists already. */
async function createRun(work: Work, trigger: LabelTrigger, generation: number): Promise<Run | null> {
  const row = await work
    .insertInto('tadpole.runs')
    .values({
      id: `r_${ulid()}`,
      forge: trigger.forge,
      repository_id: trigger.repository.id,
      issue: trigger.issue,
      label: trigger.label,
      intent: trigger.intent,
      generation,
      state: 'queued',
      trigger: JSON.stringify(trigger),
    })
    .onConflict((conflict) => conflict.columns(['forge', 'intent', 'generation']).doNothing())
    .returningAll()
    .executeTakeFirst();
  return row ? toRun(row) : null;
}

async function newestOf(work: Work, { forge, intent }: LabelTrigger): Promise<Run | null> {
  const row = await work
    .selectFrom('tadpole.runs')
    .selectAll()
    .where('forge', '=', forge)
    .where('intent', '=', intent)
    .orderBy('generation', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? toRun(row) : null;
}

async function linkDelivery(work: Work, { forge, deliveryId }: Trigger, runId: string): Promise<void> {
  await work
    .updateTable('tadpole.deliveries')
    .set({ run_id: runId })
    .where('forge', '=', forge)
    .where('delivery_id', '=', deliveryId)
    .execute();
}

async function deliveredRun(work: Work, { forge, deliveryId }: Trigger): Promise<string | null> {
  const row = await work
    .selectFrom('tadpole.deliveries')
    .select('run_id')
    .where('forge', '=', forge)
    .where('delivery_id', '=', deliveryId)
    .executeTakeFirst();
  return row?.run_id ?? null;
}
