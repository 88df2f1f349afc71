import { z } from 'zod';
import type { Stage } from '../../outcome.ts';
import type { RunEvent } from '../../store/types.ts';
import { oneLine } from '../format.ts';

const MAX = 60;
const count = z.number().int();

/** What the events of each stage may tell, and the phrase for it. Data that fits none is shown as it is, shortened. */
const PHRASES: Partial<Record<Stage, (data: unknown) => string | null>> = {
  webhook: phrase(
    z.object({ issue: count, sender: z.string() }),
    (e) => `issue #${e.issue} labelled by ${e.sender}`,
  ),
  admission: phrase(
    z.object({ permission: z.string() }),
    (e) => `admitted: ${e.permission} access, policy ok`,
  ),
  prepare: phrase(
    z.object({ commit: z.string(), files: count }),
    (e) => `base ${e.commit.slice(0, 7)}, ${plural(e.files, 'file')}`,
  ),
  sandbox: phrase(
    z.object({ closed: count, probes: count }),
    (e) => `isolated, ${e.closed} of ${e.probes} probes closed`,
  ),
  agent: phrase(
    z.object({ turns: count, exitReason: z.string() }),
    (e) =>
      `${plural(e.turns, 'turn')}, ${e.exitReason === 'agent' ? 'ended by itself' : `ended by ${e.exitReason}`}`,
  ),
  change: phrase(z.object({ files: count, additions: count, deletions: count }), (e) =>
    e.files === 0 ? 'nothing was changed' : `${plural(e.files, 'file')}, +${e.additions} −${e.deletions}`,
  ),
  verification: phrase(
    z.object({ fixed: count, broken: count, unchanged: count }),
    (e) => `${e.fixed} fixed, ${e.broken} broken, ${e.unchanged} unchanged`,
  ),
  publish: phrase(z.object({ draft: count }), (e) => `draft #${e.draft}`),
};

const TURN = phrase(
  z.object({ turn: count, maxTurns: count }),
  (e) => `turn ${e.turn} of at most ${e.maxTurns}`,
);

/** One line for one event: its stage's phrase, or its data. Safe to print. */
export function describeEvent({ stage, kind, data }: Pick<RunEvent, 'stage' | 'kind' | 'data'>): string {
  const told = kind === 'finished' ? PHRASES[stage]?.(data) : kind === 'progress' ? TURN(data) : null;
  const { durationMs: _, ...rest } = data;
  return oneLine(told ?? describeData(rest), MAX);
}

function describeData(data: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(data).filter(([, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value),
  );
  return parts.map(([name, value]) => `${name} ${value}`).join(', ');
}

/** The phrase for data of this shape, null for any other. */
function phrase<Shape>(
  shape: z.ZodType<Shape>,
  say: (data: Shape) => string,
): (data: unknown) => string | null {
  return (data) => {
    const parsed = shape.safeParse(data);
    return parsed.success ? say(parsed.data) : null;
  };
}

function plural(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}

/** How long the event's stage took, ms; null when the event does not say. */
export function durationOf({ data }: Pick<RunEvent, 'data'>): number | null {
  return typeof data.durationMs === 'number' ? data.durationMs : null;
}
