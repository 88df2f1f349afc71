import type { Context } from 'hono';
import type { Log } from '../log.ts';
import type { VerifiedDelivery } from './github.ts';
import type { Intake } from './intake.ts';
import { MAX_BODY_BYTES, type ReadBody } from './read-body.ts';
import { judgeSignature } from './signature.ts';

export interface DeliveryOptions {
  readonly webhookSecret: string;
  /** Null when the event is none that we react to. Throws nothing but what is a mistake of ours. */
  readonly receive: (delivery: VerifiedDelivery) => Promise<Intake | null>;
  readonly readBody: (request: Request) => Promise<ReadBody>;
  readonly log: Log;
}

/** Headers of forges that call themselves GitHub for old clients' sake (F01). */
const LOOK_ALIKES = ['x-gitea-event', 'x-forgejo-event', 'x-gogs-event', 'x-gitlab-event'] as const;
const DELIVERY_ID = /^[\w.:-]{1,128}$/;
const EVENT = /^[a-z][a-z_]{0,63}$/;

/** One request to the webhook's address: the raw bytes are verified before anything of them is read. */
export async function takeDelivery(
  context: Context,
  { webhookSecret, receive, readBody, log }: DeliveryOptions,
): Promise<Response> {
  const { req } = context;
  if (!/^application\/json(?:;|$)/i.test((req.header('content-type') ?? '').trim()))
    return refuse(context, 415, "set the webhook's content type to application/json");
  const body = await readBody(req.raw);
  if (body.kind === 'too_large')
    return refuse(context, 413, `the body has more than ${MAX_BODY_BYTES} bytes`);
  if (body.kind === 'busy')
    return refuse(context, 503, 'too many large deliveries at once: deliver it again later');
  if (body.kind === 'cut') return refuse(context, 400, 'the body ended early');
  const headers = { sha256: req.header('x-hub-signature-256'), sha1: req.header('x-hub-signature') };
  const signature = judgeSignature(body.bytes, headers, webhookSecret);
  if (signature !== 'valid') {
    log.warn({ signature }, 'signature refused');
    return refuse(context, 401, `X-Hub-Signature-256 is no valid signature of this body (${signature})`);
  }
  const delivery = readDelivery(context, body.bytes);
  return typeof delivery === 'string'
    ? refuse(context, 400, delivery)
    : answer(context, await receive(delivery));
}

/** The delivery, or what is wrong with it. */
function readDelivery({ req }: Context, body: Uint8Array): VerifiedDelivery | string {
  if (LOOK_ALIKES.some((name) => req.header(name) !== undefined))
    return 'this is a delivery of another forge, and this address is for GitHub';
  const id = req.header('x-github-delivery') ?? '';
  const event = req.header('x-github-event') ?? '';
  if (!DELIVERY_ID.test(id) || !EVENT.test(event)) return 'X-GitHub-Delivery or X-GitHub-Event is missing';
  const payload = parseObject(body);
  return payload === null ? 'the body is no JSON object' : { id, event, payload };
}

function parseObject(body: Uint8Array): object | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function answer(context: Context, intake: Intake | null): Response {
  if (intake === null) return context.json({ ignored: 'another event' }, 202);
  switch (intake.kind) {
    case 'accepted':
      return context.json({ run: intake.runId, duplicate: intake.duplicate }, 202);
    case 'cancelled':
      return context.json({ cancelled: intake.runId }, 202);
    case 'ignored':
      return context.json({ ignored: intake.reason }, 202);
    case 'invalid':
      return refuse(context, 400, intake.reason);
    case 'unavailable':
      return refuse(context, 503, 'not stored: deliver it again later');
  }
}

export function refuse(
  context: Context,
  status: 400 | 401 | 404 | 413 | 415 | 500 | 503,
  error: string,
): Response {
  return context.json({ error }, status);
}
