import { readdir } from 'node:fs/promises';
import { openBubblewrap } from '../fakes/sandboxes.ts';
import { describeSandbox } from './sandbox-suite.ts';

describeSandbox('src/sandbox/bubblewrap', async () => {
  const { provider, stateDir, close } = await openBubblewrap();
  return { provider, close, leftovers: async () => (await readdir(stateDir)).sort() };
});
