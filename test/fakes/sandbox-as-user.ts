/** Uses sandboxes as a user without any rights. Arguments: state folder, user id. Prints what came out as JSON. */
import { chown } from 'node:fs/promises';
import { createBubblewrap } from '../../src/sandbox/bubblewrap/bubblewrap.ts';
import { COUNT_FORKS, MIB, never, sh, specFor, text } from './sandboxes.ts';

const [, , stateDir = '', user = ''] = process.argv;
await chown(stateDir, Number(user), Number(user));
process.setgroups?.([Number(user), 4, 27]);
process.setgid?.(Number(user));
process.setuid?.(Number(user));

const provider = createBubblewrap({ stateDir });
await provider.check({ signal: never() });
const limits = { memoryBytes: 64 * MIB, processes: 40 };
const sandbox = await provider.create(specFor('user', limits), { signal: never() });
const memory = await sh(sandbox, 'head -c 300000000 /dev/zero | tail -c 300000000 > /dev/null');
const forks = await sh(sandbox, COUNT_FORKS);
const { findings } = await sandbox.probe({ signal: never() });
await sh(sandbox, 'mkdir -p locked/inner; echo x > locked/inner/file; chmod 000 locked/inner locked');
await sandbox.destroy();
process.stdout.write(
  JSON.stringify({
    notLimited: provider.describe().notLimited,
    memory: memory.exitCode,
    processes: Number(text(forks.stdout).trim().split('\n').at(-1)),
    isolation: findings.filter(({ closed }) => !closed),
  }),
);
