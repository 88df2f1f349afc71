import { createServer, type Server, type Socket } from 'node:net';
import type { PGlite } from '@electric-sql/pglite';
import type { Log } from '../log.ts';
import { createTurns, type Turns } from './turns.ts';
import { createClientFramer, type Message, parseAnswer, parseStartup } from './wire.ts';

/** Messages after which the server answers and the client waits: query, sync, function call. Flush alone keeps the turn. */
const ENDS_TURN = new Set(['Q', 'S', 'F']);
const ENDS_BATCH = new Set([...ENDS_TURN, 'H']);
const TERMINATE = 'X';
/** `search_path` as BullMQ asks for it in the startup packet; all clients share one session, so it is set by hand. */
const SEARCH_PATH = /^-c search_path=("?[A-Za-z_][A-Za-z0-9_]*"?)$/;

interface Shared {
  readonly db: PGlite;
  readonly log: Log;
  readonly turns: Turns;
  readonly sockets: Set<Socket>;
}

/** Serves PGlite on a Unix socket to any number of clients. Who may open the socket is a matter of its folder's mode. */
export async function serveEmbedded(options: {
  readonly db: PGlite;
  readonly log: Log;
  readonly path: string;
}): Promise<{ close(): Promise<void> }> {
  const shared: Shared = { ...options, turns: createTurns(), sockets: new Set() };
  const server = createServer((socket) => serveClient(socket, shared));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.path, resolve);
  });
  return { close: () => closeServer(server, shared.sockets) };
}

function closeServer(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
  });
}

/** One client: messages gather until its turn can be used whole, then go to the database in one piece. */
function serveClient(socket: Socket, shared: Shared): void {
  const { turns, sockets, log } = shared;
  const frame = createClientFramer();
  const client = { socket, batch: [] as Buffer[] };
  let work = Promise.resolve();
  sockets.add(socket);
  socket.on('error', (err) => log.debug({ err }, 'client of the embedded database failed'));
  socket.on('data', (chunk) => {
    try {
      const messages = frame(chunk);
      work = work.then(async () => {
        for (const message of messages) await handle(message, client, shared);
      });
    } catch {
      socket.destroy();
    }
    work = work.catch((err: unknown) => {
      log.error({ err }, 'embedded database failed');
      socket.destroy();
    });
  });
  socket.on('close', () => {
    sockets.delete(socket);
    work = work
      .then(() => leave(client, shared))
      .catch((err: unknown) => log.error({ err }, 'embedded database failed'))
      .finally(() => turns.give(client));
  });
}

interface Client {
  readonly socket: Socket;
  batch: Buffer[];
  holdsTransaction?: boolean;
}

async function handle(message: Message, client: Client, shared: Shared): Promise<void> {
  const { socket } = client;
  if (socket.destroyed) return;
  if (message.kind === 'encryption_request') return void socket.write('N');
  if (message.kind === 'unsupported') return void socket.destroy();
  if (message.kind === 'startup') return start(message.bytes, client, shared);
  if (message.type === TERMINATE) return void socket.end();
  client.batch.push(message.bytes);
  if (!ENDS_BATCH.has(message.type)) return;
  const batch = client.batch;
  client.batch = [];
  await execute(batch, client, { ...shared, endsTurn: ENDS_TURN.has(message.type) });
}

async function start(bytes: Buffer, client: Client, shared: Shared): Promise<void> {
  const searchPath = SEARCH_PATH.exec(parseStartup(bytes).get('options') ?? '')?.[1];
  await shared.turns.take(client);
  try {
    if (searchPath) await shared.db.exec(`SET search_path TO ${searchPath}`);
    client.socket.write(await exchange([bytes], shared.db));
  } finally {
    shared.turns.give(client);
  }
}

async function execute(
  batch: readonly Buffer[],
  client: Client,
  shared: Shared & { readonly endsTurn: boolean },
): Promise<void> {
  const { db, turns, sockets } = shared;
  await turns.take(client);
  const { own, notifications, state } = parseAnswer(await exchange(batch, db));
  client.holdsTransaction = state === 'transaction' || state === 'failed';
  client.socket.write(own);
  // There is one session, so whoever listens: all clients are told, and those that never asked do not look.
  if (notifications.length > 0) for (const socket of sockets) socket.write(notifications);
  if (shared.endsTurn && !client.holdsTransaction) turns.give(client);
}

/** Hands messages to the database one by one (given several, PGlite loses its way when one of them fails). */
async function exchange(messages: readonly Buffer[], db: PGlite): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  // What is handed over is a view of memory that is used again.
  const onRawData = (data: Uint8Array) => void chunks.push(data.slice());
  await db.runExclusive(async () => {
    for (const message of messages) await db.execProtocolRawStream(message, { onRawData });
  });
  return Buffer.concat(chunks);
}

/** A client went away: what it left half done must not stay in the session that all share. */
async function leave(client: Client, { db }: Shared): Promise<void> {
  if (client.holdsTransaction) await db.exec('ROLLBACK');
}
