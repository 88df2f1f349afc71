import { once } from 'node:events';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import type { Log } from '../log.ts';
import { createBodyReader } from './read-body.ts';
import { assertWebhookSecret } from './secret.ts';
import { type DeliveryOptions, refuse, takeDelivery } from './take-delivery.ts';

export interface ListenerOptions extends Pick<DeliveryOptions, 'webhookSecret' | 'receive' | 'log'> {
  readonly host: string;
  /** 0 = any free one. */
  readonly port: number;
  /** Resolves when store and queue answer. */
  readonly ready: () => Promise<void>;
}

export interface Listener {
  readonly url: string;
  close(): Promise<void>;
}

/** GitHub gives up at 10 s; what is slower than this is no delivery. */
const REQUEST_MS = 15_000;
const READY_MS = 5_000;
/** Answers under way may end; then connections that are kept open are closed. */
const CLOSE_MS = 1_000;

/** The HTTP listener: webhooks of GitHub, and what an orchestrator asks about our health. Fault `config_invalid`: a weak secret. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  assertWebhookSecret(options.webhookSecret);
  const server = createAdaptorServer({
    fetch: createRoutes(options).fetch,
    serverOptions: {
      requestTimeout: REQUEST_MS,
      headersTimeout: REQUEST_MS,
      connectionsCheckingInterval: 1_000,
    },
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return { url: `http://${host}:${port}`, close: () => closeServer(server) };
}

function createRoutes(options: ListenerOptions): Hono {
  const { log, ready } = options;
  const app = new Hono();
  const delivery = { ...options, readBody: createBodyReader() };
  app.post('/api/webhooks/github', (context) => takeDelivery(context, delivery));
  app.get('/healthz', (context) => context.json({ status: 'up' }));
  app.get('/readyz', async (context) => {
    if (await isReady(ready, log)) return context.json({ status: 'ready' });
    return context.json({ status: 'store or queue is away' }, 503);
  });
  app.notFound((context) => refuse(context, 404, 'nothing is here'));
  app.onError((err, context) => {
    log.error({ err }, 'request failed');
    return refuse(context, 500, 'an unexpected error in Tadpole');
  });
  return app;
}

async function isReady(ready: () => Promise<void>, log: Log): Promise<boolean> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('no answer in time')), READY_MS);
  try {
    await Promise.race([ready(), late.promise]);
    return true;
  } catch (err) {
    log.warn({ err }, 'not ready');
    return false;
  } finally {
    clearTimeout(timer);
  }
}

async function closeServer(server: ReturnType<typeof createAdaptorServer>): Promise<void> {
  const timer = setTimeout(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
  }, CLOSE_MS);
  await new Promise<void>((done) => server.close(() => done()));
  clearTimeout(timer);
}
