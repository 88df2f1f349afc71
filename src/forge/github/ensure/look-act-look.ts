import { fault, toFault } from '../../../errors.ts';
import type { Pause } from '../rest/attempt.ts';

/** Before each further look: lists on a busy forge lag behind what was just made. */
const PAUSES_MS = [500, 2_000];

/** What came of an act: the thing, or, when it was refused, why, in words for operators. */
export type Made<T> = { readonly made: T } | { readonly refused: string };

/**
 * Look, act, look: a creation whose answer was lost is looked up before it is repeated, so that it is done once (E11).
 * `look` resolves to null while the thing is not there, and brings what is there up to date.
 */
export async function lookActLook<T>(
  { look, act }: { readonly look: () => Promise<T | null>; readonly act: () => Promise<Made<T>> },
  { pause, signal }: { readonly pause: Pause; readonly signal: AbortSignal },
): Promise<T> {
  for (let turn = 0; ; turn += 1) {
    const found = await look();
    if (found !== null) return found;
    const pauseMs = PAUSES_MS[turn];
    try {
      const outcome = await act();
      if ('made' in outcome) return outcome.made;
      if (pauseMs === undefined) throw fault('forge_answer_invalid', { detail: outcome.refused });
    } catch (thrown) {
      const failure = toFault(thrown);
      if (signal.aborted || failure.code !== 'forge_unavailable' || pauseMs === undefined) throw thrown;
    }
    await pause(pauseMs, signal);
  }
}
