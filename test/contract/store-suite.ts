import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Run, Store } from '../../src/store/types.ts';
import { cancelTrigger, labelTrigger, uniqueIssue } from '../fixtures/triggers.ts';

export interface StoreUnderTest {
  readonly store: Store;
  /** A second process would see the same: another store on the same database. */
  readonly other: Store;
  close(): Promise<void>;
}

const LEASE = { owner: 'w1', ttlMs: 60_000 };

/** The contract of `Store` (src/store/types.ts) as assertions, for any database. */
export function describeStore(name: string, open: () => Promise<StoreUnderTest>, skip: string | false): void {
  describe(`src/store/types.ts on ${name}`, { skip, timeout: 120_000 }, () => {
    let world: StoreUnderTest;
    let store: Store;
    before(async () => {
      world = await open();
      store = world.store;
    });
    after(() => world?.close());

    const newRun = async (issue = uniqueIssue()): Promise<Run> => {
      const { run } = await store.acceptLabel(labelTrigger({ issue }));
      assert.ok(run);
      return run;
    };
    const leased = async (run: Run) => {
      const lease = await store.takeLease(run.id, LEASE);
      assert.ok(lease);
      return lease;
    };
    const endAs = async (run: Run, outcome: 'faulted' | 'pr_opened') => {
      const { epoch } = await leased(run);
      await store.advance(run.id, epoch, { update: { state: 'ended', outcome }, events: [] });
    };

    describe('acceptLabel', () => {
      it('creates a queued run that keeps the trigger byte for byte', async () => {
        const trigger = labelTrigger({ title: 'NUL \u0000, lone \ud800, "quotes", 🐸', body: '\\u0000\r\n' });
        const accepted = await store.acceptLabel(trigger);
        assert.equal(accepted.kind, 'created');
        assert.equal(accepted.run?.state, 'queued');
        assert.deepEqual((await store.readRun(accepted.run?.id ?? ''))?.trigger, trigger);
      });

      it('makes one run of 64 parallel deliveries of one id, over two processes', async () => {
        const trigger = labelTrigger();
        const calls = Array.from({ length: 64 }, (_, i) =>
          (i % 2 ? store : world.other).acceptLabel(trigger),
        );
        const answers = await Promise.all(calls);
        assert.equal(answers.filter(({ kind }) => kind === 'created').length, 1);
        assert.equal(new Set(answers.map(({ run }) => run?.id)).size, 1);
      });

      it('makes one run of one intent under 32 delivery ids', async () => {
        const trigger = labelTrigger();
        const calls = Array.from({ length: 32 }, (_, i) =>
          (i % 2 ? store : world.other).acceptLabel({ ...trigger, deliveryId: `${trigger.deliveryId}-${i}` }),
        );
        const answers = await Promise.all(calls);
        assert.equal(answers.filter(({ kind }) => kind === 'created').length, 1);
        assert.equal(new Set(answers.map(({ run }) => run?.id)).size, 1);
      });

      it('makes no second run of a delivery that comes again after success', async () => {
        const trigger = labelTrigger();
        const { run } = await store.acceptLabel(trigger);
        assert.ok(run);
        await endAs(run, 'pr_opened');
        const again = await store.acceptLabel(trigger);
        assert.equal(again.kind, 'duplicate');
        assert.equal(again.run?.id, run.id);
      });

      it('starts the next generation when the same delivery comes again after a fault, once', async () => {
        const trigger = labelTrigger();
        const { run } = await store.acceptLabel(trigger);
        assert.ok(run);
        await endAs(run, 'faulted');
        const answers = await Promise.all([1, 2, 3, 4].map(() => store.acceptLabel(trigger)));
        assert.equal(answers.filter(({ kind }) => kind === 'created').length, 1);
        assert.deepEqual(new Set(answers.map((answer) => answer.run?.generation)), new Set([2]));
      });

      it('leaves a faulted run alone when another delivery tells of the same intent', async () => {
        const trigger = labelTrigger();
        const { run } = await store.acceptLabel(trigger);
        assert.ok(run);
        await endAs(run, 'faulted');
        const again = await store.acceptLabel({ ...trigger, deliveryId: `${trigger.deliveryId}-other` });
        assert.equal(again.kind, 'duplicate');
        assert.equal(again.run?.id, run.id);
      });

      it('creates a new run when the issue is labelled anew after the end', async () => {
        const first = await newRun();
        await endAs(first, 'pr_opened');
        const { run, kind } = await store.acceptLabel(labelTrigger({ issue: first.trigger.issue }));
        assert.equal(kind, 'created');
        assert.notEqual(run?.id, first.id);
      });
    });

    describe('acceptCancel', () => {
      it('marks the active run of the issue, and the lease holder hears of it', async () => {
        const run = await newRun();
        const { epoch } = await leased(run);
        await store.activate(run.id, epoch);
        assert.equal(await store.acceptCancel(cancelTrigger({ issue: run.trigger.issue })), run.id);
        const renewed = await store.renewLease(run.id, { epoch, ttlMs: 1000 });
        assert.deepEqual(renewed, { held: true, cancelRequested: 'label_removed' });
      });

      it('does nothing for another label, another issue or an ended run', async () => {
        const run = await newRun();
        const { issue } = run.trigger;
        assert.equal(await store.acceptCancel(cancelTrigger({ issue, label: 'other' })), null);
        assert.equal(await store.acceptCancel(cancelTrigger({ issue: uniqueIssue() })), null);
        await endAs(run, 'pr_opened');
        assert.equal(await store.acceptCancel(cancelTrigger({ issue })), null);
        assert.equal((await store.readRun(run.id))?.cancelRequested, null);
      });

      it('does not hit a newer run when an old cancellation is delivered again', async () => {
        const first = await newRun();
        const cancel = cancelTrigger({ issue: first.trigger.issue });
        await store.acceptCancel(cancel);
        await endAs(first, 'faulted');
        const second = await newRun(first.trigger.issue);
        assert.equal(await store.acceptCancel(cancel), first.id);
        assert.equal((await store.readRun(second.id))?.cancelRequested, null);
      });
    });

    it('numbers events without gaps when they are appended at the same time', async () => {
      const run = await newRun();
      const { epoch } = await leased(run);
      const event = { stage: 'agent', kind: 'progress', data: { turn: 1 } } as const;
      await Promise.all(Array.from({ length: 10 }, () => store.appendEvents(run.id, epoch, [event, event])));
      const seqs = (await store.readEvents(run.id, 0)).map(({ seq }) => seq);
      assert.deepEqual(
        seqs,
        Array.from({ length: 21 }, (_, i) => i + 1),
      );
    });

    it('remembers an effect from its intention on, and never forgets its result', async () => {
      const run = await newRun();
      const { epoch } = await leased(run);
      await store.recordEffect(run.id, epoch, { name: 'branch', value: null });
      assert.deepEqual(await store.readEffects(run.id), { branch: null });
      await store.recordEffect(run.id, epoch, { name: 'branch', value: 'tadpole/issue-1' });
      await store.recordEffect(run.id, epoch, { name: 'branch', value: null });
      assert.deepEqual(await store.readEffects(run.id), { branch: 'tadpole/issue-1' });
    });

    it('lists unended runs that nobody holds and nobody touched for a while', async () => {
      const run = await newRun();
      const listed = async (idleMs: number) =>
        (await store.listStranded(idleMs)).find(({ id }) => id === run.id);
      assert.deepEqual(await listed(0), { id: run.id, state: 'queued', outcome: null });
      assert.equal(await listed(60_000), undefined);
      const { epoch } = await leased(run);
      assert.equal(await listed(0), undefined);
      await store.releaseLease(run.id, epoch, { attemptUsed: true });
      assert.ok(await listed(0));
    });

    it('counts admitted runs of a repository and of an issue since a moment, but not the one that asks', async () => {
      const repositoryId = uniqueIssue();
      const admit = async (issue: number) => {
        const { run } = await store.acceptLabel(labelTrigger({ issue, repositoryId }));
        assert.ok(run);
        const { epoch } = await leased(run);
        await store.advance(run.id, epoch, { update: { admitted: ADMITTED }, events: [] });
        return run;
      };
      const [first] = [await admit(1), await admit(1), await admit(2)];
      await store.acceptLabel(labelTrigger({ issue: 1, repositoryId }));
      const filter = { forge: 'github', repositoryId, since: new Date(Date.now() - 60_000), exceptRun: '' };
      assert.equal(await store.countRuns(filter), 3);
      assert.equal(await store.countRuns({ ...filter, issue: 1 }), 2);
      assert.equal(await store.countRuns({ ...filter, exceptRun: first.id }), 2);
      assert.equal(await store.countRuns({ ...filter, since: new Date(Date.now() + 60_000) }), 0);
    });

    it('lists the newest runs first and knows who is live', async () => {
      const older = await newRun();
      const newer = await newRun();
      const ids = (await store.listRuns({ limit: 2 })).map(({ id }) => id);
      assert.deepEqual(ids, [newer.id, older.id]);
      assert.equal(await store.isLive(newer.id), true);
      assert.equal(await store.isLive('r_unknown'), false);
      assert.equal(await store.readRun('r_unknown'), null);
    });

    it('answers a ping', () => store.ping());
  });
}

const ADMITTED = {
  kind: 'admitted',
  policy: {
    enabled: true,
    label: 'tadpole',
    image: null,
    setup: null,
    test: { command: 'pytest', report: { format: 'junit', path: null }, timeoutMinutes: 5 },
    paths: { deny: ['secrets/**'] },
    limits: { steps: 10, minutes: 10, filesChanged: 10, runsADay: 10 },
  },
  policySource: { path: '.github/tadpole.yml', commit: 'c0' },
  pinned: {
    title: 't',
    body: 'b',
    comments: [],
    omitted: 0,
    text: 'the text',
    sha256: '0'.repeat(64),
    takenAt: '2026-01-01T00:00:00Z',
  },
  permission: 'write',
  base: { branch: 'main', commit: 'c0' },
} as const;
