import type { Run, RunEvent } from '../../../src/store/types.ts';

const TRIGGER: Run['trigger'] = {
  kind: 'label',
  forge: 'github',
  deliveryId: 'd-1',
  intent: 'i-1',
  repository: { id: 1, owner: 'acme', name: 'calc', installation: 1 },
  issue: 42,
  label: 'tadpole',
  sender: { id: 2, login: 'alice', kind: 'user' },
  labelledAt: '2026-01-02T03:04:05Z',
  title: 'A title that is nobody’s business',
  body: 'A body',
};

/** A run as the store has it, with what the test says about it. */
export function createRun(about: Partial<Run> = {}): Run {
  return {
    id: 'r_01',
    state: 'queued',
    trigger: TRIGGER,
    generation: 1,
    epoch: 1,
    attempts: 1,
    cancelRequested: null,
    admitted: null,
    prepared: null,
    worked: null,
    published: null,
    outcome: null,
    outcomeDetails: {},
    createdAt: '2026-01-02T03:04:06.000Z',
    endedAt: null,
    ...about,
  };
}

export type Told = readonly [RunEvent['stage'], RunEvent['kind'], RunEvent['data']];

/** Events in order, numbered as the store numbers them. */
export function toEvents(told: readonly Told[]): readonly RunEvent[] {
  return told.map(([stage, kind, data], at) => ({
    seq: at + 1,
    at: '2026-01-02T03:04:07.000Z',
    epoch: 1,
    stage,
    kind,
    data,
  }));
}

/** The reading half of a store with one run; each look at it shows one event more, and the run's end after the last. */
export function createDiary(told: readonly Told[], ended: Partial<Run> = {}) {
  const events = toEvents(told);
  let visible = 0;
  return {
    readRun: async (): Promise<Run> => {
      visible = Math.min(visible + 1, events.length + 1);
      return visible > events.length ? createRun({ state: 'ended', ...ended }) : createRun();
    },
    readEvents: async (_: string, afterSeq: number) => events.slice(afterSeq, visible),
  };
}

/** A run from label to draft, as its events tell it. */
export const WHOLE_RUN: readonly Told[] = [
  ['webhook', 'finished', { issue: 1, sender: 'alice', durationMs: 12 }],
  ['admission', 'started', {}],
  ['admission', 'finished', { permission: 'write', durationMs: 3 }],
  ['queue', 'finished', { durationMs: 1 }],
  ['prepare', 'finished', { commit: '3f2c1ab9d0', files: 18, durationMs: 41 }],
  ['sandbox', 'finished', { closed: 11, probes: 11, durationMs: 180 }],
  ['agent', 'started', {}],
  ['agent', 'progress', { turn: 3, maxTurns: 30 }],
  ['agent', 'finished', { turns: 9, exitReason: 'agent', durationMs: 1_210 }],
  ['change', 'finished', { files: 1, additions: 1, deletions: 1, durationMs: 22 }],
  ['verification', 'finished', { fixed: 1, broken: 0, unchanged: 5, durationMs: 2_100 }],
  ['publish', 'finished', { draft: 2, durationMs: 90 }],
  ['report', 'finished', { durationMs: 9 }],
];
