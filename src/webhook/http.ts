import { once } from 'node:events';
import { createAdaptorServer } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import type { Log } from '../log.ts';
import type { VerifiedDelivery } from './github.ts';
import type { Intake } from './intake.ts';
import { isSigned } from './signature.ts';

export interface ListenerOptions {
  readonly host: string;
  /** 0 = any free one. */
  readonly port: number;
  readonly webhookSecret: string;
  /** Null when the event is none that we react to. */
  readonly receive: (delivery: VerifiedDelivery) => Promise<Intake | null>;
  /** Resolves when store and queue answer. */
  readonly ready: () => Promise<void>;
  readonly log: Log;
}

export interface Listener {
  readonly url: string;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 25 * 1024 * 1024;

/** The HTTP listener: webhooks of GitHub, and what an orchestrator asks about our health. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const app = new Hono();
  app.post('/api/webhooks/github', (context) => takeDelivery(context, options));
  app.get('/healthz', (context) => context.json({ status: 'up' }));
  app.get('/readyz', async (context) => {
    const ready = await options.ready().then(
      () => true,
      (err: unknown) => {
        options.log.warn({ err }, 'not ready');
        return false;
      },
    );
    return context.json({ status: ready ? 'ready' : 'store or queue is away' }, ready ? 200 : 503);
  });
  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  return {
    url: `http://${options.host}:${port}`,
    async close() {
      if ('closeAllConnections' in server) setTimeout(() => server.closeAllConnections(), 1_000).unref();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

async function takeDelivery(
  context: Context,
  { webhookSecret, receive, log }: ListenerOptions,
): Promise<Response> {
  const { req } = context;
  if (!(req.header('content-type') ?? '').startsWith('application/json'))
    return context.json({ error: "set the webhook's content type to application/json" }, 415);
  const body = await readBody(req.raw);
  if (body === null) return context.json({ error: `the body is larger than ${MAX_BODY_BYTES} bytes` }, 413);
  if (!isSigned(body, req.header('x-hub-signature-256'), webhookSecret)) {
    log.warn('signature refused');
    return context.json({ error: 'the signature (X-Hub-Signature-256) is missing or wrong' }, 401);
  }
  const id = req.header('x-github-delivery') ?? '';
  const event = req.header('x-github-event') ?? '';
  const payload = parseObject(body);
  if (!/^[\w.:-]{1,128}$/.test(id) || !/^[a-z_]{1,64}$/.test(event) || payload === null)
    return context.json(
      { error: 'this is no GitHub delivery: X-GitHub-Delivery, X-GitHub-Event and a JSON object are needed' },
      400,
    );
  return answer(context, await receive({ id, event, payload }));
}

function answer(context: Context, intake: Intake | null): Response {
  if (intake === null) return context.json({ ignored: 'not an event that Tadpole reacts to' }, 202);
  switch (intake.kind) {
    case 'accepted':
      return context.json({ run: intake.runId, duplicate: intake.duplicate }, 202);
    case 'cancelled':
      return context.json({ cancelled: intake.runId }, 202);
    case 'ignored':
      return context.json({ ignored: intake.reason }, 202);
    case 'invalid':
      return context.json({ error: intake.reason }, 400);
    case 'unavailable':
      return context.json({ error: 'not stored: deliver it again later' }, 503);
  }
}

/** The raw bytes; null as soon as they are more than the limit. */
async function readBody(request: Request): Promise<Uint8Array | null> {
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES) return null;
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of request.body ?? []) {
    size += piece.length;
    if (size > MAX_BODY_BYTES) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function parseObject(body: Uint8Array): object | null {
  try {
    const value: unknown = JSON.parse(
      Buffer.from(body)
        .toString('utf8')
        .replace(/^\ufeff/, ''),
    );
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
