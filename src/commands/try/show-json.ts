import type { RunEvent } from '../../store/types.ts';
import { printableValue } from '../format.ts';

/** Every event as one JSON object a line. */
export async function showJson(events: AsyncIterable<RunEvent>, out: (text: string) => void): Promise<void> {
  for await (const { seq, at, stage, kind, data } of events) {
    out(`${JSON.stringify(printableValue({ seq, at, stage, kind, ...data }))}\n`);
  }
}
