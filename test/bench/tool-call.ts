import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bwrapArguments } from '../../src/sandbox/bubblewrap/bwrap-arguments.ts';
import { makeSandboxFolder } from '../../src/sandbox/bubblewrap/host/sandbox-folder.ts';
import { readSystemLayout } from '../../src/sandbox/bubblewrap/host/system-layout.ts';
import type { Sandbox } from '../../src/sandbox/types.ts';
import { MIB, openBubblewrap, openFolder, run } from '../fakes/sandboxes.ts';
import { type Emit, percentile } from './measure.ts';

const ROUNDS = 60;
const WARM_UP_ROUNDS = 5;
const RATIO_AIM = 2;

const median = (values: readonly number[]) => percentile(values, 50);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** `bwrap … true` with the very arguments of a sandbox, and nothing of ours around it. */
async function bareBwrap(): Promise<{ once: () => Promise<void>; remove: () => Promise<void> }> {
  const parent = await openFolder('tadpole-bench-');
  const folder = `${parent}/bare`;
  const user = process.getuid?.() === 0 ? { uid: 65_499, gid: 65_499 } : null;
  await makeSandboxFolder(folder, user);
  const root = { layout: await readSystemLayout(), readOnlyPaths: [], path: '/usr/bin:/bin' };
  const fds = { info: 3, block: null, seccomp: 4, covers: [] };
  const args = bwrapArguments({ folder, limits: { memoryBytes: 512 * MIB }, argv: ['/bin/true'], fds }, root);
  const bare = args.filter(
    (_, index) => !['--info-fd', '--seccomp'].some((o) => args[index] === o || args[index - 1] === o),
  );
  return {
    async once() {
      const child = spawn('/usr/bin/bwrap', bare, { stdio: 'ignore', env: {}, ...(user ?? {}) });
      const [code] = await once(child, 'exit');
      if (code !== 0) throw new Error(`bare bwrap ended with ${code}`);
    },
    remove: async () => void (await once(spawn('rm', ['-rf', parent]), 'exit')),
  };
}

function bashTool(sandbox: Sandbox, command: string): Promise<unknown> {
  return run(sandbox, ['/bin/bash', '-lc', command]);
}

/**
 * One Bash tool call against a bare `bwrap … true` with the same arguments, in alternation: with a moment before it, as
 * after a model's turn, and right after another call.
 */
export async function bench(emit: Emit): Promise<void> {
  const world = await openBubblewrap();
  const bare = await bareBwrap();
  const times = { bare: [] as number[], call: [] as number[], next: [] as number[] };
  try {
    const sandbox = await world.create();
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1) {
      const found = {
        bare: await timed(bare.once),
        call: await timed(() => bashTool(sandbox, 'true')),
        next: await timed(() => bashTool(sandbox, 'true')),
      };
      if (round < 0) continue;
      times.bare.push(found.bare);
      times.call.push(found.call);
      times.next.push(found.next);
    }
  } finally {
    await world.close();
    await bare.remove();
  }
  const bareMs = median(times.bare);
  emit({ measure: 'bare bwrap true, median', value: bareMs, unit: 'ms' });
  emit({ measure: 'Bash tool call, median', value: median(times.call), unit: 'ms' });
  emit({ measure: 'right after another, median', value: median(times.next), unit: 'ms' });
  emit({
    measure: 'Bash tool call / bare',
    value: median(times.call) / bareMs,
    unit: 'ratio',
    atMost: RATIO_AIM,
  });
  emit({
    measure: 'right after another / bare',
    value: median(times.next) / bareMs,
    unit: 'ratio',
    atMost: RATIO_AIM,
  });
}
