import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** What the test may say of a request: nothing (serve it), or an answer that is given instead. */
export type Gate = (
  request: IncomingMessage,
) => { readonly status: number; readonly location?: string } | 'cut_after' | null;

export interface GitServer {
  /** Address of a repository below the root, such as `acme/sample.git`. */
  url(repository: string): string;
  readonly host: string;
  /** Path, query and Authorization header of every request so far. */
  readonly requests: { readonly path: string; readonly authorization: string | null }[];
  close(): Promise<void>;
}

/** git's own smart HTTP over a folder of bare repositories, on a free port of the loopback interface. */
export async function startGitServer(options: {
  readonly root: string;
  readonly gate?: Gate;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Environment of the server's git, such as a PATH. */
  readonly env?: Readonly<Record<string, string>>;
}): Promise<GitServer> {
  const { root, gate = () => null, tls } = options;
  const requests: GitServer['requests'] = [];
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    requests.push({ path: request.url ?? '', authorization: request.headers.authorization ?? null });
    const verdict = gate(request);
    if (verdict !== null && verdict !== 'cut_after') {
      request.resume();
      response.writeHead(verdict.status, {
        ...(verdict.status === 401 && { 'www-authenticate': 'Basic realm=git' }),
        ...(verdict.location !== undefined && { location: verdict.location }),
      });
      return void response.end();
    }
    backend({ root, request, response, cut: verdict === 'cut_after', env: options.env ?? {} });
  };
  const server = tls ? createTlsServer(tls, handle) : createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const host = tls ? `localhost:${port}` : `127.0.0.1:${port}`;
  return {
    host,
    url: (repository) => `${tls ? 'https' : 'http'}://${host}/${repository}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

interface BackendCall {
  readonly root: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Lets git do its work, then drops the connection instead of answering. */
  readonly cut: boolean;
  readonly env: Readonly<Record<string, string>>;
}

function backend({ root, request, response, cut, env }: BackendCall): void {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn('git', ['-c', 'http.receivepack=true', 'http-backend'], {
    env: {
      PATH: process.env.PATH ?? '',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      HTTP_GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_USER: 'tadpole',
      REMOTE_ADDR: '127.0.0.1',
      ...env,
    },
  });
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  child.stderr.resume();
  if (cut) {
    child.stdout.resume();
    child.on('close', () => request.socket.destroy());
    return;
  }
  answer(child.stdout, response).catch(() => response.destroy());
}

/** Turns CGI output into an HTTP answer, piece by piece. */
async function answer(output: AsyncIterable<Buffer>, response: ServerResponse): Promise<void> {
  let head = Buffer.alloc(0);
  for await (const piece of output) {
    if (response.headersSent) {
      if (!response.write(piece)) await once(response, 'drain');
      continue;
    }
    head = Buffer.concat([head, piece]);
    const split = head.indexOf('\r\n\r\n');
    if (split === -1) continue;
    const lines = head.subarray(0, split).toString('latin1').split('\r\n');
    const headers = lines.map((line) => line.split(': ', 2) as [string, string]);
    const status = headers.find(([name]) => name === 'Status')?.[1];
    response.writeHead(status ? Number.parseInt(status, 10) : 200, Object.fromEntries(headers));
    response.write(head.subarray(split + 4));
  }
  response.end();
}
