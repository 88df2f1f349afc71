import type { RunEvent } from '../../store/types.ts';
import { oneLine } from '../format.ts';
import { showJson } from './show-json.ts';
import { showLines } from './show-lines.ts';
import { showList } from './show-list.ts';
import type { TryEnding, TryTitle } from './types.ts';

/** A screen that is redrawn, plain lines, or JSON lines. */
export type TryMode =
  | { readonly kind: 'screen'; readonly stream: NodeJS.WriteStream }
  | { readonly kind: 'lines' }
  | { readonly kind: 'json' };

export interface TryView {
  readonly mode: TryMode;
  readonly title: TryTitle;
  readonly out: (text: string) => void;
}

/** Shows a run's events as they come. */
export async function renderEvents(
  events: AsyncIterable<RunEvent>,
  { mode, title, out }: TryView,
): Promise<void> {
  if (mode.kind === 'json') return showJson(events, out);
  const [sandbox, model] = [oneLine(title.sandbox, 40), oneLine(title.model, 80)];
  out(`Tadpole ${title.version}, a try on this machine: local forge, ${sandbox}, ${model}\n`);
  if (mode.kind === 'screen') await showList(events, mode.stream);
  else await showLines(events, out);
}

/** Shows how the run ended. As JSON this is the last line, and names outcome and draft. */
export function renderEnding(
  ending: TryEnding,
  { mode, out, staysUp, recorded }: TryView & { readonly staysUp: boolean; readonly recorded: boolean },
): void {
  const { outcome, draft, details } = ending;
  if (mode.kind === 'json') {
    out(`${JSON.stringify({ outcome, draft, ...(draft ? {} : { details }) })}\n`);
    return;
  }
  const told = Object.entries(details).map(([name, value]) => `${name} ${value}`);
  const why = told.length > 0 ? ` (${oneLine(told.join(', '), 200)})` : '';
  out(draft ? `Look at it: ${draft}${staysUp ? '   (Ctrl-C ends)' : ''}\n` : `No draft: ${outcome}${why}\n`);
  if (recorded) {
    out('The model was a recording. Yours: MODEL_BASE_URL=… npm run try -- --repo PATH --issue FILE\n');
  }
}
