import type { Held } from '../../src/run/lease.ts';
import { type Publication, publish } from '../../src/run/publish.ts';
import type { Change, Prepared } from '../../src/run/types.ts';
import type { Run } from '../../src/store/types.ts';
import type { World } from './git-world.ts';
import type { PlainSandbox } from './plain-sandbox.ts';
import type { FileSpec } from './upstream.ts';

export const TEXTS = { title: 'Count the first row when totalling (#42)', body: 'A draft.' };
/** The branch of the one run of a `World`. */
export const BRANCH = 'tadpole/issue-42-4m5n6p7r';

export interface Publishable {
  readonly prepared: Prepared;
  readonly sandbox: PlainSandbox;
  readonly change: Change;
  readonly held: Pick<Held, 'run' | 'fence' | 'recordEffect'>;
  /** Every entry of the diary of effects so far. */
  readonly effects: readonly (readonly [string, string | null])[];
  publish(): Promise<Publication>;
}

/** Everything up to publishing: files upstream, prepared, edited by a script in a sandbox, collected. */
export async function makePublishable(
  world: World,
  {
    files = { 'a.txt': 'one\n' },
    script = 'echo two > a.txt',
  }: { readonly files?: Readonly<Record<string, FileSpec>>; readonly script?: string } = {},
): Promise<Publishable> {
  const prepared = await world.prepared(files);
  const sandbox = await world.filled(prepared);
  await sandbox.sh(script);
  const change = await world.collect(sandbox, prepared);
  const effects: (readonly [string, string | null])[] = [];
  const held = {
    run: { ...world.run(prepared.base), prepared, worked: { change } } as unknown as Run,
    fence: async () => {},
    recordEffect: async (name: string, value: string | null) => void effects.push([name, value]),
  };
  return {
    prepared,
    sandbox,
    change,
    held,
    effects,
    publish: () => publish(world.deps, { held, texts: TEXTS }, world),
  };
}

/** git in the upstream's bare repository. */
export function bareGit({ upstream }: World, ...args: string[]): Promise<string> {
  return upstream.git(args, upstream.bare);
}
