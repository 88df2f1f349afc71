/** A process of its own that accepts deliveries on an embedded database until it is killed; one line for each that is stored. */
import { pino } from 'pino';
import { startEmbedded } from '../../../src/store/embedded.ts';
import { openStore } from '../../../src/store/postgres-store.ts';
import { labelTrigger } from '../../fixtures/triggers.ts';

const log = pino({ level: 'silent' });
const { connectionString: databaseUrl } = await startEmbedded({ dataDir: process.argv[2] ?? '', log });
const store = await openStore({ databaseUrl, log });
for (let i = 0; ; i += 1) {
  const { run } = await store.acceptLabel(
    labelTrigger({ deliveryId: `${process.pid}-${i}`, intent: `${process.pid}-${i}` }),
  );
  process.stdout.write(`${run?.id}\n`);
}
