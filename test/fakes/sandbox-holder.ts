/** A process that runs something endless in a sandbox, to be killed. Argument: the state folder. Prints the sandbox's name. */
import { createBubblewrap } from '../../src/sandbox/bubblewrap/bubblewrap.ts';
import { sh, specFor } from './sandboxes.ts';

const provider = createBubblewrap({ stateDir: process.argv[2] ?? '' });
const sandbox = await provider.create(specFor('killed'), { signal: new AbortController().signal });
const beat = `while :; do echo beat >> beat; sleep 0.02; done # ${process.argv[2]}/`;
process.stdout.write(`${sandbox.name}\n`);
await sh(sandbox, `setsid sh -c '${beat}' > /dev/null 2>&1 & (${beat}\n) & wait`);
