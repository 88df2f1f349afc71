/** One number that a bench found. */
export interface Measure {
  readonly bench: string;
  readonly measure: string;
  readonly value: number;
  /** `ms`, `MiB`, `1/s`, `ratio`, … */
  readonly unit: string;
  /** What it should be, such as `≤ 500`; null where there is no aim. */
  readonly aim: string | null;
  /** Whether it is; null where there is no aim. */
  readonly holds: boolean | null;
}

/** Reports one number. `atMost` or `atLeast` makes it an aim. */
export type Emit = (found: {
  readonly measure: string;
  readonly value: number;
  readonly unit: string;
  readonly atMost?: number;
  readonly atLeast?: number;
}) => void;

/** What a file of this folder exports. */
export interface BenchModule {
  readonly bench: (emit: Emit) => Promise<void>;
}

/** Runs one bench, and hands on what it finds as it finds it. */
export async function runBench(
  name: string,
  module: unknown,
  take: (measure: Measure) => void,
): Promise<void> {
  if (!isBench(module)) throw new Error(`test/bench/${name}.ts does not export bench(emit)`);
  await module.bench(({ measure, value, unit, atMost, atLeast }) => {
    take({ bench: name, measure, value, unit, ...judge(value, { atMost, atLeast }) });
  });
}

function isBench(module: unknown): module is BenchModule {
  return (
    typeof module === 'object' && module !== null && 'bench' in module && typeof module.bench === 'function'
  );
}

function judge(
  value: number,
  { atMost, atLeast }: { readonly atMost: number | undefined; readonly atLeast: number | undefined },
): Pick<Measure, 'aim' | 'holds'> {
  const aims = [
    ...(atMost === undefined ? [] : [{ aim: `≤ ${atMost}`, holds: value <= atMost }]),
    ...(atLeast === undefined ? [] : [{ aim: `≥ ${atLeast}`, holds: value >= atLeast }]),
  ];
  if (aims.length === 0) return { aim: null, holds: null };
  return { aim: aims.map(({ aim }) => aim).join(', '), holds: aims.every(({ holds }) => holds) };
}

/** A row of the table. */
export function formatMeasure({ bench, measure, value, unit, aim, holds }: Measure): readonly string[] {
  const shown = Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
  const verdict = holds ? 'holds' : 'MISSED';
  return [bench, measure, `${shown} ${unit}`, aim ?? '–', holds === null ? '' : verdict];
}

/** The value below which so many percent of the values lie. */
export function percentile(values: readonly number[], percent: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}
