/** Says whether an inherited file descriptor 63 shows in a sandbox. Argument: the state folder. */
import { readlinkSync } from 'node:fs';
import { createBubblewrap } from '../../src/sandbox/bubblewrap/bubblewrap.ts';
import { never, sh, specFor, text } from './sandboxes.ts';

const provider = createBubblewrap({ stateDir: process.argv[2] ?? '' });
const sandbox = await provider.create(specFor('files'), { signal: never() });
const listing = await sh(sandbox, 'ls /proc/self/fd');
const { findings } = await sandbox.probe({ signal: never() });
await sandbox.destroy();
process.stdout.write(
  JSON.stringify({
    inherited: readlinkSync('/proc/self/fd/63').endsWith('supervisor-log'),
    inside: text(listing.stdout).trim().split('\n').join(' '),
    openFiles: findings.find(({ check }) => check === 'open_files')?.closed,
  }),
);
