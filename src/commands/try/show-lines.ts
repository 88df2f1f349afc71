import type { RunEvent } from '../../store/types.ts';
import { formatDuration } from '../format.ts';
import { describeEvent, durationOf } from './stage-text.ts';

const SHOWN = new Set(['finished', 'refused', 'faulted', 'cancelled']);
/** Stages that are over in a moment and tell nobody anything. */
const SILENT = new Set(['queue', 'report']);

/** Whether an event is worth a line of its own. */
export function isWorthALine({ stage, kind }: RunEvent): boolean {
  return SHOWN.has(kind) && (kind !== 'finished' || !SILENT.has(stage));
}

/** A stage's line: name, what came out, how long it took. */
export function toLine(event: RunEvent): string {
  const durationMs = durationOf(event);
  const said = describeEvent(event);
  const text = event.kind === 'finished' ? said : [event.kind, said].filter(Boolean).join(': ');
  const time = durationMs === null ? '' : formatDuration(durationMs);
  return `  ${event.stage.padEnd(13)} ${text.padEnd(50)} ${time.padStart(8)}`.trimEnd();
}

/** Plain lines, one for each stage that ended: for pipes and logs. */
export async function showLines(events: AsyncIterable<RunEvent>, out: (text: string) => void): Promise<void> {
  for await (const event of events) if (isWorthALine(event)) out(`${toLine(event)}\n`);
}
