import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { fault } from '../../../src/errors.ts';
import type { Run } from '../../../src/store/types.ts';
import { createGitHubApp } from '../../../src/webhook/github.ts';
import { type Listener, startListener } from '../../../src/webhook/http.ts';
import { takeIn } from '../../../src/webhook/intake.ts';
import type { LabelTrigger } from '../../../src/webhook/trigger.ts';

const SECRET = 'f3a1c5e7b9d2468013579bdf02468ace';
const log = pino({ level: 'silent' });
const privateKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs1', format: 'pem' })
  .toString();

const payload = (changed: object = {}) => ({
  action: 'labeled',
  label: { id: 1, name: 'tadpole' },
  issue: { number: 4, title: 'Ünïcode \u001b[31m', body: 'a \\u0041 b', updated_at: '2026-11-01T12:00:00Z' },
  repository: { id: 7, name: 'sample', owner: { login: 'acme' } },
  sender: { id: 1, login: 'alice', type: 'User' },
  installation: { id: 3 },
  ...changed,
});

describe('src/webhook', () => {
  let listener: Listener;
  let taken: LabelTrigger[] = [];
  let queueIsAway = false;

  before(async () => {
    const run = { id: 'r_1', state: 'queued', outcome: null } as Run;
    const store = {
      acceptLabel: async (trigger: LabelTrigger) => {
        taken.push(trigger);
        return { kind: 'created', run } as const;
      },
      acceptCancel: async () => null,
    };
    const queue = {
      add: async () => {
        if (queueIsAway) throw fault('queue_unavailable', { detail: 'away' });
      },
    };
    const options = { appId: 1, privateKey, webhookSecret: SECRET, apiUrl: 'http://127.0.0.1:9/api/v3', log };
    const receive = await createGitHubApp(options, (delivery) =>
      takeIn(delivery, { store, queue, labels: ['tadpole'], log }),
    );
    listener = await startListener({
      host: '127.0.0.1',
      port: 0,
      webhookSecret: SECRET,
      receive,
      ready: async () => {},
      log,
    });
  });
  after(() => listener.close());

  async function post(
    body: string | Uint8Array,
    changed: Record<string, string | null> = {},
  ): Promise<number> {
    taken = [];
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'x-github-event': 'issues',
      'x-github-delivery': 'd-1',
      'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
    };
    for (const [name, value] of Object.entries(changed)) {
      if (value === null) delete headers[name];
      else headers[name] = value;
    }
    const { status } = await fetch(`${listener.url}/api/webhooks/github`, {
      method: 'POST',
      headers,
      body: Buffer.from(body),
    });
    return status;
  }

  test('takes a signed delivery byte for byte, however it is written (B01)', async () => {
    for (const body of [
      JSON.stringify(payload()),
      JSON.stringify(payload(), null, 3),
      `\ufeff${JSON.stringify(payload())}`,
    ]) {
      assert.equal(await post(body), 202);
      assert.equal(taken.length, 1);
      assert.equal(taken[0]?.title, 'Ünïcode \u001b[31m');
    }
  });

  test('refuses wrong, old, missing and foreign signatures, and stores nothing (B01, T08)', async () => {
    const body = JSON.stringify(payload());
    const sign = (text: string, secret: string) =>
      `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
    const bad = [
      null,
      '',
      'sha256=',
      'sha1=0123',
      sign(`${body} `, SECRET),
      sign(body, 'development'),
      sign(body, SECRET).slice(0, -1),
    ];
    for (const signature of bad) {
      assert.equal(await post(body, { 'x-hub-signature-256': signature }), 401);
      assert.equal(taken.length, 0);
    }
  });

  test('answers 413 to more than 25 MB', async () => {
    assert.equal(await post(Buffer.alloc(26 * 1024 * 1024, 32)), 413);
    assert.equal(taken.length, 0);
  });

  test('answers 503 when the queue is away, so that the forge can deliver again (B05)', async () => {
    queueIsAway = true;
    try {
      assert.equal(await post(JSON.stringify(payload())), 503);
    } finally {
      queueIsAway = false;
    }
  });

  test('ignores bots, our own doings among them, other labels and other events (B04)', async () => {
    const ignored = [
      payload({ sender: { id: 9, login: 'tadpole[bot]', type: 'Bot' } }),
      payload({ label: { id: 2, name: 'bug' } }),
      payload({ action: 'edited' }),
    ];
    for (const each of ignored) {
      assert.equal(await post(JSON.stringify(each)), 202);
      assert.equal(taken.length, 0);
    }
    assert.equal(await post(JSON.stringify(payload()), { 'x-github-event': 'issue_comment' }), 202);
    assert.equal(taken.length, 0);
  });

  test('refuses a delivery without an installation cleanly: another forge’s, or no App’s (F01)', async () => {
    assert.equal(await post(JSON.stringify(payload({ installation: undefined }))), 400);
    assert.equal(await post('[]'), 400);
    assert.equal(await post('{"a":', {}), 400);
  });
});
