import { WORKSPACE } from '../../src/sandbox/types.ts';
import { MIB, never, openBubblewrap, sh } from '../fakes/sandboxes.ts';
import type { Emit } from './measure.ts';

const AIM_MIB = 150;
const PRINTED_BYTES = 1_000_000_000;
const PACK_BYTES = 300_000_000;

async function grownBy(work: () => Promise<unknown>): Promise<number> {
  const idle = process.memoryUsage().rss;
  let peak = idle;
  const sampler = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
  try {
    await work();
  } finally {
    clearInterval(sampler);
  }
  return (Math.max(peak, process.memoryUsage().rss) - idle) / MIB;
}

async function* pieces(bytes: number): AsyncIterable<Uint8Array> {
  for (let left = bytes; left > 0; left -= MIB) yield Buffer.alloc(Math.min(left, MIB), 7);
}

/** How far this process grows while a tool prints 1 GB, and while a pack of 300 MB is put in. */
export async function bench(emit: Emit): Promise<void> {
  const world = await openBubblewrap();
  try {
    const sandbox = await world.create({ fileBytes: 2 * PACK_BYTES });
    await sh(sandbox, 'true');
    const print = `yes 'a line that a test prints' | head -c ${PRINTED_BYTES}`;
    const printing = await grownBy(() => sh(sandbox, print));
    emit({ measure: 'grown while a tool prints 1 GB', value: printing, unit: 'MiB', atMost: AIM_MIB });
    const path = `${WORKSPACE}/pack`;
    const putting = await grownBy(() => sandbox.put(path, pieces(PACK_BYTES), { signal: never() }));
    emit({ measure: 'grown while a 300 MB pack goes in', value: putting, unit: 'MiB', atMost: AIM_MIB });
  } finally {
    await world.close();
  }
}
