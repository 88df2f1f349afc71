import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseDelivery } from '../../../../src/forge/github/parse.ts';

const LABELS = ['tadpole', 'Robot'];
const payload = {
  action: 'labeled',
  label: { id: 1, name: 'Tadpole', color: 'fff' },
  issue: { number: 4, title: 'A title', body: 'A body', updated_at: '2026-11-01T12:00:00Z', state: 'open' },
  repository: {
    id: 7,
    name: 'pond',
    full_name: 'acme/pond',
    owner: { id: 2, login: 'acme', type: 'Organization' },
  },
  sender: { id: 1, login: 'alice', type: 'User' },
  installation: { id: 3, node_id: 'x' },
};
type Changes = Readonly<Record<string, unknown>>;
const parse = (changes: Changes = {}, event = 'issues') =>
  parseDelivery({ id: 'd-1', event, payload: { ...payload, ...changes } }, LABELS);
const kind = (changes: Changes, event?: string) => parse(changes, event).kind;

describe('src/forge/github/parse.ts', () => {
  test('makes a label trigger of a label, with the text of the signed payload', () => {
    assert.deepEqual(parse(), {
      kind: 'trigger',
      trigger: {
        kind: 'label',
        forge: 'github',
        deliveryId: 'd-1',
        intent: 'github:7:4:tadpole:2026-11-01T12:00:00Z',
        repository: { id: 7, owner: 'acme', name: 'pond', installation: 3 },
        issue: 4,
        label: 'Tadpole',
        sender: { id: 1, login: 'alice', kind: 'user' },
        labelledAt: '2026-11-01T12:00:00Z',
        title: 'A title',
        body: 'A body',
      },
    });
  });

  test('has one intent for one event under two delivery ids, and another for the next label (B02)', () => {
    const intent = (id: string, updated_at: string) => {
      const parsed = parseDelivery(
        { id, event: 'issues', payload: { ...payload, issue: { ...payload.issue, updated_at } } },
        LABELS,
      );
      return parsed.kind === 'trigger' && parsed.trigger.kind === 'label' ? parsed.trigger.intent : null;
    };
    assert.equal(intent('a', '2026-11-01T12:00:00Z'), intent('b', '2026-11-01T12:00:00Z'));
    assert.notEqual(intent('a', '2026-11-01T12:00:00Z'), intent('a', '2026-11-01T12:00:01Z'));
  });

  for (const [action, reason, label] of [
    ['unlabeled', 'label_removed', 'Tadpole'],
    ['closed', 'issue_closed', null],
    ['deleted', 'issue_deleted', null],
  ] as const)
    test(`makes a cancel trigger of ${action}`, () => {
      const parsed = parse({ action, label: label === null ? undefined : payload.label });
      assert.ok(parsed.kind === 'trigger' && parsed.trigger.kind === 'cancel');
      assert.deepEqual([parsed.trigger.reason, parsed.trigger.label], [reason, label]);
    });

  test('takes an empty body and a null one for no text', () => {
    for (const body of [null, undefined, '']) {
      const parsed = parse({ issue: { ...payload.issue, body } });
      assert.ok(parsed.kind === 'trigger' && parsed.trigger.kind === 'label');
      assert.equal(parsed.trigger.body, '');
    }
  });

  const ignored: readonly (readonly [string, Changes, string?])[] = [
    ['another event', {}, 'issue_comment'],
    ['an event of which no label tells', {}, 'pull_request'],
    ['another label', { label: { name: 'bug' } }],
    ['no label', { label: undefined }],
    ['an action that is none of ours', { action: 'edited' }],
    ['an action that objects have by nature', { action: 'constructor' }],
    ['our own app', { sender: { id: 9, login: 'tadpole[bot]', type: 'Bot' } }],
    ['another bot', { sender: { id: 9, login: 'helper[bot]', type: 'Bot' } }],
    ['a bot that says it is a user', { sender: { id: 9, login: 'helper[bot]', type: 'User' } }],
    ['a bot by type alone', { sender: { id: 9, login: 'helper', type: 'Bot' } }],
    ['an organisation', { sender: { id: 9, login: 'acme', type: 'Organization' } }],
    ['a type that nobody knows yet', { sender: { id: 9, login: 'x', type: 'Agent' } }],
    [
      'a label taken off by a bot',
      { action: 'unlabeled', sender: { id: 9, login: 'tadpole[bot]', type: 'Bot' } },
    ],
  ];
  for (const [what, changes, event] of ignored)
    test(`ignores ${what} (B04, T49)`, () => assert.equal(kind(changes, event), 'ignored'));

  const { issue, repository } = payload;
  const invalid: readonly (readonly [string, Changes, RegExp])[] = [
    ['no installation, as Gitea sends it (F01)', { installation: undefined }, /installation.*GitHub App/],
    ['no sender', { sender: undefined }, /sender/],
    ['a sender without a type', { sender: { id: 1, login: 'alice' } }, /sender\.type/],
    ['a time that can not be read', { issue: { ...issue, updated_at: 'yesterday' } }, /issue\.updated_at/],
    ['an issue without a number', { issue: { ...issue, number: '4' } }, /issue\.number/],
    [
      'an owner that would climb',
      { repository: { ...repository, owner: { login: '../..' } } },
      /repository\.owner\.login/,
    ],
    ['a name that would climb', { repository: { ...repository, name: '..' } }, /repository\.name/],
    ['a name with a slash', { repository: { ...repository, name: 'a/b' } }, /repository\.name/],
    ['a login with a line break', { sender: { id: 1, login: 'a\nb', type: 'User' } }, /sender\.login/],
  ];
  for (const [what, changes, reason] of invalid)
    test(`refuses ${what}`, () => {
      const parsed = parse(changes);
      assert.equal(parsed.kind, 'invalid');
      assert.match(parsed.kind === 'invalid' ? parsed.reason : '', reason);
    });

  for (const body of [null, undefined, 1, 'x', [], {}])
    test(`refuses ${JSON.stringify(body)} for a payload`, () =>
      assert.equal(parseDelivery({ id: 'd', event: 'issues', payload: body }, LABELS).kind, 'invalid'));

  test('ignores what lacks everything but an action that is none of ours', () => {
    const bare = { action: 'pinned', sender: payload.sender };
    assert.equal(parseDelivery({ id: 'd', event: 'issues', payload: bare }, LABELS).kind, 'ignored');
  });
});
