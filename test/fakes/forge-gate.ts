import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface GateRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly host: string;
  readonly authorization: string;
  readonly body: string;
}

/** What becomes of a request: passed on, answered here, dropped before or after the forge did it, or left without an answer. */
export type Verdict =
  | 'pass'
  | 'cut_before'
  | 'cut_after'
  | 'silent'
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    };

export interface ForgeGate {
  readonly url: string;
  readonly requests: GateRequest[];
  /** Decides on each request; tests replace it. */
  rule: (request: GateRequest) => Verdict;
  close(): Promise<void>;
}

/** Stands between the adapter and a forge, and does to requests what networks and tired forges do. */
export async function startForgeGate(
  forgeUrl: string,
  { tls }: { readonly tls?: { readonly key: string; readonly cert: string } } = {},
): Promise<ForgeGate> {
  const requests: GateRequest[] = [];
  const handle = (incoming: IncomingMessage, response: ServerResponse) => {
    pass(incoming, response).catch(() => response.destroy());
  };
  const server = tls ? createTlsServer(tls, handle) : createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const gate: ForgeGate = {
    url: tls ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    requests,
    rule: () => 'pass',
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece);
    const body = Buffer.concat(pieces);
    const { method = 'GET', url: path = '/', headers } = incoming;
    const { host = '', authorization = '' } = headers;
    const request = { method, path, host, authorization, body: body.toString('utf8') };
    requests.push(request);
    const verdict = gate.rule(request);
    if (verdict === 'silent') return;
    if (verdict === 'cut_before') return void response.destroy();
    if (typeof verdict === 'object') {
      response.writeHead(verdict.status, { 'content-type': 'application/json', ...verdict.headers });
      return void response.end(
        typeof verdict.body === 'string' ? verdict.body : JSON.stringify(verdict.body ?? {}),
      );
    }
    const { 'transfer-encoding': _, host: __, connection: ___, 'content-length': ____, ...kept } = headers;
    const answer = await fetch(`${forgeUrl}${path}`, {
      method,
      headers: Object.entries(kept).map(([name, value]): [string, string] => [name, String(value)]),
      ...(body.length > 0 && { body }),
      redirect: 'manual',
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (verdict === 'cut_after') return void response.destroy();
    const type = answer.headers.get('content-type');
    response.writeHead(answer.status, type === null ? {} : { 'content-type': type });
    response.end(bytes);
  }

  return gate;
}

/** An answer given to the first requests that match; the rest pass. `times` defaults to once. */
export function first(
  matches: (request: GateRequest) => boolean,
  verdict: Verdict,
  times = 1,
): (request: GateRequest) => Verdict {
  let left = times;
  return (request) => {
    if (left === 0 || !matches(request)) return 'pass';
    left -= 1;
    return verdict;
  };
}

export const by = (method: string, path: RegExp) => (request: GateRequest) =>
  request.method === method && path.test(request.path);
