import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Emit, formatMeasure, type Measure, percentile, runBench } from '../../bench/measure.ts';

async function measuresOf(bench: (emit: Emit) => Promise<void>): Promise<readonly Measure[]> {
  const measures: Measure[] = [];
  await runBench('some', { bench }, (measure) => measures.push(measure));
  return measures;
}

describe('test/bench/measure.ts', () => {
  test('an aim is judged, and a number without one is only told', async () => {
    const measures = await measuresOf(async (emit) => {
      emit({ measure: 'p99', value: 499, unit: 'ms', atMost: 500 });
      emit({ measure: 'p99', value: 501, unit: 'ms', atMost: 500 });
      emit({ measure: 'rate', value: 9, unit: '1/s', atLeast: 10 });
      emit({ measure: 'runs', value: 5, unit: '', atMost: 5, atLeast: 5 });
      emit({ measure: 'share', value: 0.5, unit: 'ratio' });
    });
    assert.deepEqual(
      measures.map(({ aim, holds }) => [aim, holds]),
      [
        ['≤ 500', true],
        ['≤ 500', false],
        ['≥ 10', false],
        ['≤ 5, ≥ 5', true],
        [null, null],
      ],
    );
    assert.deepEqual(Object.keys(measures[0] ?? {}), ['bench', 'measure', 'value', 'unit', 'aim', 'holds']);
  });

  test('a row says plainly which aim was missed', () => {
    const row = formatMeasure({
      bench: 'a',
      measure: 'b',
      value: 1234.5,
      unit: 'ms',
      aim: '≤ 5',
      holds: false,
    });
    assert.deepEqual(row, ['a', 'b', '1235 ms', '≤ 5', 'MISSED']);
  });

  test('a file that is no bench is refused', async () => {
    await assert.rejects(
      runBench('x', {}, () => {}),
      /does not export bench/,
    );
  });

  test('percentiles are values that were measured', () => {
    const values = Array.from({ length: 100 }, (_, at) => 100 - at);
    assert.deepEqual(
      [percentile(values, 50), percentile(values, 99), percentile(values, 100)],
      [50, 99, 100],
    );
    assert.equal(percentile([7], 99), 7);
    assert.ok(Number.isNaN(percentile([], 50)));
  });
});
