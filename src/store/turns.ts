/**
 * Turns at a database that has a single session. A turn lasts from a client's first message to the end of its query, or of
 * its transaction: nobody else's message may come between. (The socket server that PGlite offers takes turns by message; under
 * load, parameters of one client then meet the statement of another.)
 */
export interface Turns {
  /** Waits for the turn of `client`; at once when it has it already. */
  take(client: object): Promise<void>;
  /** Ends the client's turn, or its waiting. */
  give(client: object): void;
}

export function createTurns(): Turns {
  let holder: object | null = null;
  const waiting = new Map<object, () => void>();

  const passOn = () => {
    const next = waiting.entries().next();
    holder = null;
    if (next.done) return;
    const [client, wake] = next.value;
    waiting.delete(client);
    holder = client;
    wake();
  };

  return {
    take(client) {
      if (holder === client) return Promise.resolve();
      if (holder === null) {
        holder = client;
        return Promise.resolve();
      }
      return new Promise((resolve) => waiting.set(client, resolve));
    },
    give(client) {
      waiting.delete(client);
      if (holder === client) passOn();
    },
  };
}
