/** Framing of PostgreSQL's wire protocol 3: just enough to know where a message and where a client's turn ends. */

const PROTOCOL_MAJOR = 3;
const SSL_REQUEST = 80877103;
const GSS_REQUEST = 80877104;
const HEADER = 5;
/** Larger messages than this are no queries of ours; the connection is closed. */
export const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;

export type Message =
  /** A client that asks for encryption before it starts. */
  | { readonly kind: 'encryption_request'; readonly bytes: Buffer }
  | { readonly kind: 'startup'; readonly bytes: Buffer }
  /** Anything else before the start, such as a cancel request. */
  | { readonly kind: 'unsupported'; readonly bytes: Buffer }
  | { readonly kind: 'typed'; readonly type: string; readonly bytes: Buffer };

/** Cuts a byte stream of a client into messages. Throws a RangeError on a length that cannot be. */
export function createClientFramer(): (chunk: Buffer) => Message[] {
  let rest: Buffer = Buffer.alloc(0);
  let started = false;

  const next = (): Message | null => {
    const lengthAt = started ? 1 : 0;
    if (rest.length < lengthAt + 4) return null;
    const size = lengthAt + rest.readInt32BE(lengthAt);
    if (size < lengthAt + 4 || size > MAX_MESSAGE_BYTES) throw new RangeError('impossible message length');
    if (rest.length < size) return null;
    const bytes = rest.subarray(0, size);
    rest = rest.subarray(size);
    if (started) return { kind: 'typed', type: String.fromCharCode(bytes[0] ?? 0), bytes };
    const code = bytes.length < 8 ? 0 : bytes.readInt32BE(4);
    if (code === SSL_REQUEST || code === GSS_REQUEST) return { kind: 'encryption_request', bytes };
    if (code >> 16 !== PROTOCOL_MAJOR) return { kind: 'unsupported', bytes };
    started = true;
    return { kind: 'startup', bytes };
  };

  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const messages: Message[] = [];
    for (let message = next(); message; message = next()) messages.push(message);
    return messages;
  };
}

/** Key and value pairs of a startup message, such as `user`, `database`, `options`. */
export function parseStartup(bytes: Buffer): ReadonlyMap<string, string> {
  const words = bytes.subarray(8).toString('utf8').split('\0');
  const pairs = new Map<string, string>();
  for (let i = 0; i + 1 < words.length; i += 2) if (words[i]) pairs.set(words[i] ?? '', words[i + 1] ?? '');
  return pairs;
}

/** What a server's answer tells besides its content: notifications, which belong to all clients, and the state it ends in. */
export interface Answer {
  /** The answer without notifications. */
  readonly own: Buffer;
  readonly notifications: Buffer;
  /** Transaction state of the last ReadyForQuery: idle, in a transaction, in a failed one; null when there was none. */
  readonly state: 'idle' | 'transaction' | 'failed' | null;
}

const STATES: Readonly<Record<string, Answer['state']>> = { I: 'idle', T: 'transaction', E: 'failed' };

/** Sorts the whole messages of one answer. */
export function parseAnswer(bytes: Buffer): Answer {
  const own: Buffer[] = [];
  const notifications: Buffer[] = [];
  let state: Answer['state'] = null;
  for (let at = 0; at + HEADER <= bytes.length; ) {
    const type = String.fromCharCode(bytes[at] ?? 0);
    const end = at + 1 + bytes.readInt32BE(at + 1);
    const message = bytes.subarray(at, end);
    (type === 'A' ? notifications : own).push(message);
    if (type === 'Z') state = STATES[String.fromCharCode(message[HEADER] ?? 0)] ?? null;
    at = end;
  }
  return { own: Buffer.concat(own), notifications: Buffer.concat(notifications), state };
}
