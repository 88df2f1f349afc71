import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { findViolations } from './strict-history.ts';

/** One answer of the scripted endpoint, with the ways in which real ones fail. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text as it is, anything else as JSON. */
  readonly body?: unknown;
  /** `drop`: the connection is cut without an answer. `hang`: nothing ever comes. `hang_in_body`: headers, then nothing. */
  readonly trouble?: 'drop' | 'hang' | 'hang_in_body';
  readonly delayMs?: number;
}

export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** The body's text, byte for byte. */
  readonly text: string;
  readonly at: number;
  /** Resolves when the client has gone before it was answered. */
  readonly closed: Promise<void>;
}

export interface ModelServer {
  readonly url: string;
  readonly received: readonly Received[];
  /** What strict servers would have refused, one line each. */
  readonly violations: readonly string[];
  /** Requests that were open at the same time, at most. */
  readonly mostOpen: () => number;
  close(): Promise<void>;
}

export type Step = Answer | ((received: Received) => Answer);

export interface ServerOptions {
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Answers every request when the script has none. */
  readonly always?: Step;
}

/** An OpenAI-compatible endpoint that plays a script; running past its end answers 410. */
export async function startModelServer(
  steps: readonly Step[],
  options: ServerOptions = {},
): Promise<ModelServer> {
  const received: Received[] = [];
  const violations: string[] = [];
  let open = 0;
  let mostOpen = 0;

  const listener: RequestListener = (request, response) => {
    void (async () => {
      open += 1;
      mostOpen = Math.max(mostOpen, open);
      response.on('close', () => {
        open -= 1;
      });
      const gone = once(response, 'close').then(() => undefined);
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece);
      const text = Buffer.concat(pieces).toString();
      const entry = {
        path: request.url ?? '',
        headers: request.headers,
        text,
        at: performance.now(),
        closed: gone,
      };
      received.push(entry);
      if (request.method === 'POST') violations.push(...findViolations(text));
      const step = steps[received.length - 1] ??
        options.always ?? { status: 410, body: { error: { message: 'script is over' } } };
      await send(response, typeof step === 'function' ? step(entry) : step);
    })().catch(() => response.destroy());
  };

  const server = options.tls ? createTlsServer(options.tls, listener) : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}/v1`,
    received,
    violations,
    mostOpen: () => mostOpen,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function send(
  response: ServerResponse,
  { status = 200, headers, body, trouble, delayMs = 0 }: Answer,
): Promise<void> {
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  if (trouble === 'hang') return;
  if (trouble === 'drop') return void response.destroy();
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  if (trouble === 'hang_in_body') return void response.write('{"choices": [');
  response.end(typeof body === 'string' ? body : JSON.stringify(body ?? {}));
}

const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

/** A completion with this message. */
export function completion(
  message: Record<string, unknown>,
  finish?: string | null,
  usage: unknown = USAGE,
): Answer {
  const reason = finish === undefined ? (message.tool_calls ? 'tool_calls' : 'stop') : finish;
  return {
    body: {
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: reason }],
      usage,
    },
  };
}

/** A turn that only says something. */
export const says = (content: string | null, finish?: string): Answer => completion({ content }, finish);

let ids = 0;

/** A turn that calls tools: pairs of name and arguments (text stays as it is). */
export function calls(...pairs: readonly (readonly [string, unknown])[]): Answer {
  return completion({ content: null, tool_calls: pairs.map(([name, args]) => toolCall(name, args)) });
}

export function toolCall(name: string, args: unknown, id = `call-${++ids}`) {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return { id, type: 'function', function: { name, arguments: text } };
}
