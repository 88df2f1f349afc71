import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Fault } from '../../src/errors.ts';
import type { Run, Store } from '../../src/store/types.ts';
import { labelTrigger, uniqueIssue } from '../fixtures/triggers.ts';

import type { StoreUnderTest } from './store-suite.ts';

const isLost = (err: unknown) => err instanceof Fault && err.code === 'lease_lost';
const LEASE = { owner: 'w1', ttlMs: 60_000 };

/** Leases, epochs, the one active run of an issue, and results: what keeps two workers apart. */
export function describeStoreLeases(
  name: string,
  open: () => Promise<StoreUnderTest>,
  skip: string | false,
): void {
  describe(`leases and results of src/store/types.ts on ${name}`, { skip, timeout: 120_000 }, () => {
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

    describe('leases', () => {
      it('go to one of many that ask at once', async () => {
        const run = await newRun();
        const asks = Array.from({ length: 16 }, (_, i) =>
          (i % 2 ? store : world.other).takeLease(run.id, { owner: `w${i}`, ttlMs: 60_000 }),
        );
        const leases = (await Promise.all(asks)).filter((lease) => lease !== null);
        assert.equal(leases.length, 1);
        assert.equal(leases[0]?.epoch, 1);
        assert.equal(leases[0]?.run.attempts, 1);
      });

      it('can be taken over when they ran out, and fence off every write of the former holder', async () => {
        const run = await newRun();
        const zombie = await store.takeLease(run.id, { owner: 'zombie', ttlMs: 0 });
        const successor = await world.other.takeLease(run.id, LEASE);
        assert.ok(zombie && successor);
        assert.equal(successor.epoch, zombie.epoch + 1);
        const { epoch } = zombie;
        const event = { stage: 'publish', kind: 'finished', data: {} } as const;
        const writes = [
          () => store.assertLease(run.id, epoch),
          () => store.activate(run.id, epoch),
          () => store.advance(run.id, epoch, { update: { state: 'worked' }, events: [event] }),
          () => store.appendEvents(run.id, epoch, [event]),
          () => store.recordEffect(run.id, epoch, { name: 'draft', value: '1' }),
        ];
        for (const write of writes) await assert.rejects(write, isLost);
        assert.deepEqual(await store.renewLease(run.id, { epoch, ttlMs: 1000 }), {
          held: false,
          cancelRequested: null,
        });
        await store.releaseLease(run.id, epoch, { attemptUsed: true });
        await store.assertLease(run.id, successor.epoch);
        assert.equal((await store.readRun(run.id))?.state, 'queued');
        assert.deepEqual(await store.readEffects(run.id), {});
      });

      it('that ran out are renewed when nobody took them, but do not pass the fence before', async () => {
        const run = await newRun();
        const lease = await store.takeLease(run.id, { owner: 'slow', ttlMs: 0 });
        assert.ok(lease);
        await assert.rejects(store.assertLease(run.id, lease.epoch), isLost);
        assert.equal((await store.renewLease(run.id, { epoch: lease.epoch, ttlMs: 60_000 })).held, true);
        await store.assertLease(run.id, lease.epoch);
      });

      it('given back are free at once, write nothing more, and may take the attempt back', async () => {
        const run = await newRun();
        const { epoch } = await leased(run);
        assert.equal(await store.takeLease(run.id, LEASE), null);
        await store.releaseLease(run.id, epoch, { attemptUsed: false });
        await assert.rejects(store.appendEvents(run.id, epoch, []), isLost);
        assert.equal((await store.readRun(run.id))?.attempts, 0);
        assert.equal((await leased(run)).run.attempts, 1);
      });

      it('are not given for ended or unknown runs', async () => {
        const run = await newRun();
        await endAs(run, 'pr_opened');
        assert.equal(await store.takeLease(run.id, LEASE), null);
        assert.equal(await store.takeLease('r_unknown', LEASE), null);
      });
    });

    describe('activate', () => {
      it('lets one run of an issue be active, whoever tries at the same time, until it ends', async () => {
        const issue = uniqueIssue();
        const runs = await Promise.all([1, 2, 3].map(() => newRun(issue)));
        const leases = await Promise.all(runs.map(leased));
        const tries = leases.map(({ run, epoch }, i) =>
          (i % 2 ? store : world.other).activate(run.id, epoch),
        );
        const won = await Promise.all(tries);
        assert.equal(won.filter(Boolean).length, 1);
        const winner = leases[won.indexOf(true)];
        const loser = leases[won.indexOf(false)];
        assert.ok(winner && loser);
        assert.equal(await store.activate(winner.run.id, winner.epoch), true, 'again is fine');
        const update = { state: 'ended', outcome: 'no_changes' } as const;
        await store.advance(winner.run.id, winner.epoch, { update, events: [] });
        assert.equal(await store.activate(loser.run.id, loser.epoch), true);
      });
    });

    describe('advance', () => {
      it('stores results, state and events together, and starts the count of attempts anew', async () => {
        const run = await newRun();
        const { epoch } = await leased(run);
        const prepared = {
          base: { branch: 'main', commit: 'c0', tree: 't0' },
          pack: 'runs/r/base.pack',
          packBytes: 1,
          files: 2,
        };
        const events = [
          { stage: 'prepare', kind: 'finished', data: { files: 2 } },
          { stage: 'queue', kind: 'progress', data: {} },
        ] as const;
        const after = await store.advance(run.id, epoch, { update: { state: 'prepared', prepared }, events });
        assert.equal(after.attempts, 0);
        assert.deepEqual(await store.readRun(run.id), after);
        assert.deepEqual(after.prepared, prepared);
        const seen = await store.readEvents(run.id, 1);
        assert.deepEqual(
          seen.map(({ seq, stage, kind }) => [seq, stage, kind]),
          [
            [2, 'prepare', 'finished'],
            [3, 'queue', 'progress'],
          ],
        );
      });

      it('ends a run for good', async () => {
        const run = await newRun();
        const { epoch } = await leased(run);
        const update = {
          state: 'ended',
          outcome: 'cancelled',
          outcomeDetails: { reason: 'label_removed' },
        } as const;
        const ended = await store.advance(run.id, epoch, { update, events: [] });
        assert.ok(ended.endedAt);
        assert.deepEqual(ended.outcomeDetails, { reason: 'label_removed' });
        assert.equal(await store.isLive(run.id), false);
        const again = store.advance(run.id, epoch, { update: { state: 'queued' }, events: [] });
        await assert.rejects(again, isLost);
      });
    });
  });
}
