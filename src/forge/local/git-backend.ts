import { execFile, spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** An environment in which git reads no configuration of this machine. */
export function gitEnvironment(home: string): NodeJS.ProcessEnv {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Sample',
    GIT_AUTHOR_EMAIL: 'sample@local.invalid',
    GIT_COMMITTER_NAME: 'Sample',
    GIT_COMMITTER_EMAIL: 'sample@local.invalid',
    GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
    GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
  };
}

/** Runs git and gives its standard output; null when it fails. */
export async function git(
  args: readonly string[],
  { cwd, home }: { readonly cwd: string; readonly home: string },
): Promise<string | null> {
  try {
    const { stdout } = await run('git', [...args], {
      cwd,
      env: gitEnvironment(home),
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  } catch {
    return null;
  }
}

export interface BackendRequest {
  readonly request: Request;
  /** Bare repository. */
  readonly folder: string;
  /** Path below the repository, such as `/info/refs`. */
  readonly path: string;
  readonly home: string;
  readonly user: string;
}

/** One request of git's smart HTTP protocol, answered by git's own `http-backend` over CGI. */
export async function answerGit({ request, folder, path, home, user }: BackendRequest): Promise<Response> {
  const url = new URL(request.url);
  const header = (name: string) => request.headers.get(name) ?? '';
  const child = spawn(
    'git',
    ['-c', 'http.receivepack=true', '-c', 'uploadpack.allowReachableSHA1InWant=true', 'http-backend'],
    {
      env: {
        ...gitEnvironment(home),
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_PROTOCOL: header('git-protocol'),
        PATH_INFO: path,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: header('content-type'),
        CONTENT_LENGTH: header('content-length'),
        HTTP_CONTENT_ENCODING: header('content-encoding'),
        REMOTE_USER: user,
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  );
  child.stdin.on('error', () => {});
  if (request.body)
    Readable.fromWeb(request.body as import('node:stream/web').ReadableStream).pipe(child.stdin);
  else child.stdin.end();
  return toResponse(child.stdout);
}

/** Splits CGI's head from its body; the body streams on. */
async function toResponse(stdout: Readable): Promise<Response> {
  let head = Buffer.alloc(0);
  for await (const piece of stdout.iterator({ destroyOnReturn: false })) {
    head = Buffer.concat([head, piece]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) continue;
    const headers = new Headers();
    let status = 200;
    for (const line of head.subarray(0, end).toString('latin1').split('\r\n')) {
      const colon = line.indexOf(':');
      const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
      if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
      else headers.append(name, value);
    }
    return new Response(
      Readable.toWeb(Readable.from(rest(head.subarray(end + 4), stdout))) as ReadableStream,
      { status, headers },
    );
  }
  return new Response('git gave no answer', { status: 500 });
}

async function* rest(first: Buffer, stdout: Readable): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  for await (const piece of stdout) yield piece;
}
