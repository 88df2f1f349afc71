import { createHmac, randomUUID } from 'node:crypto';
import type { Shapes } from './answers.ts';
import { toLabel } from './answers.ts';
import type { Person, Place, Ticket, World } from './world.ts';

/** A webhook call that was made, and what it was answered. */
export interface Delivered {
  readonly id: string;
  readonly event: string;
  readonly body: string;
  /** Null while under way, 0 when nobody answered. */
  status: number | null;
}

export interface Deliveries {
  readonly log: Delivered[];
  /** Sends an `issues` event, signed, as GitHub does: once, without a retry. Resolves when it was answered. */
  issues(
    action: string,
    facts: { readonly place: Place; readonly issue: Ticket; readonly by: Person; readonly label?: string },
  ): Promise<void>;
  /** Sends a delivery again under its id; the status of the answer. */
  redeliver(id: string): Promise<number>;
  /** Resolves when no delivery is under way. */
  settled(): Promise<void>;
}

export function createDeliveries(world: World, shapes: Shapes): Deliveries {
  const log: Delivered[] = [];
  const underWay = new Set<Promise<unknown>>();

  async function send(delivered: Delivered): Promise<number> {
    const { app } = world;
    if (!app) return 0;
    const signature = createHmac('sha256', app.webhookSecret).update(delivered.body).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'GitHub-Hookshot/local',
      'x-github-event': delivered.event,
      'x-github-delivery': delivered.id,
      'x-hub-signature-256': `sha256=${signature}`,
    };
    const call = fetch(app.webhookUrl, {
      method: 'POST',
      headers,
      body: delivered.body,
      signal: AbortSignal.timeout(10_000),
    }).then(
      ({ status }) => status,
      () => 0,
    );
    underWay.add(call);
    delivered.status = await call;
    underWay.delete(call);
    return delivered.status;
  }

  return {
    log,
    async issues(action, { place, issue, by, label }) {
      const payload = {
        action,
        issue: shapes.issue(place, issue),
        ...(label === undefined ? {} : { label: toLabel(place, label) }),
        repository: shapes.repository(place),
        sender: shapes.user(by),
        installation: { id: world.app?.installation ?? 0, node_id: 'I_1' },
      };
      const delivered: Delivered = {
        id: randomUUID(),
        event: 'issues',
        body: JSON.stringify(payload),
        status: null,
      };
      log.push(delivered);
      await send(delivered);
    },
    async redeliver(id) {
      const found = log.find((delivered) => delivered.id === id);
      return found ? send(found) : 0;
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
