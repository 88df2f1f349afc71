import type { Stage } from '../outcome.ts';
import type { Held } from './lease.ts';

/**
 * Runs one stage between two events of the run: `started` before it begins, `finished` with its duration (ms) and what
 * `summarize` says of its value. A stage that throws leaves only the first, which is how a reader knows where it died.
 */
export async function inStage<T>(
  held: Held,
  stage: Stage,
  {
    body,
    summarize,
  }: { readonly body: () => Promise<T>; readonly summarize: (value: T) => Readonly<Record<string, unknown>> },
): Promise<T> {
  await held.note(stage, 'started', {});
  const begin = performance.now();
  const value = await body();
  const durationMs = Math.round(performance.now() - begin);
  const summary = summarize(value);
  await held.note(stage, 'finished', { durationMs, ...summary });
  held.log.info({ stage, durationMs, ...summary }, 'stage finished');
  return value;
}
