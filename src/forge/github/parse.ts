import type { Trigger } from '../../webhook/trigger.ts';
import { toActor } from './convert.ts';
import { IssuesEnvelope, IssuesPayload } from './schema.ts';

/** A verified delivery as GitHub sends it. */
export interface GitHubDelivery {
  readonly id: string;
  /** `X-GitHub-Event`. */
  readonly event: string;
  readonly payload: unknown;
}

export type Parsed =
  | { readonly kind: 'trigger'; readonly trigger: Trigger }
  /** Not for us. The reason is one of ours, made of no foreign text. */
  | { readonly kind: 'ignored'; readonly reason: string }
  /** Looks like ours and can't be read: an answer that says which field is at fault. */
  | { readonly kind: 'invalid'; readonly reason: string };

const CANCELS = { unlabeled: 'label_removed', closed: 'issue_closed', deleted: 'issue_deleted' } as const;

function toCancelReason(action: string) {
  return action === 'unlabeled' || action === 'closed' || action === 'deleted' ? CANCELS[action] : null;
}

/** What a delivery asks for. What bots do asks for nothing, our own doings among it (B04, T49). `labels` may ask for runs. */
export function parseDelivery({ id, event, payload }: GitHubDelivery, labels: readonly string[]): Parsed {
  if (event !== 'issues') return ignored('another event');
  const envelope = IssuesEnvelope.safeParse(payload);
  if (!envelope.success) return invalid(envelope.error.issues[0]?.path);
  const { action, label, sender } = envelope.data;
  const reason = toCancelReason(action);
  if (action !== 'labeled' && reason === null) return ignored('another action');
  const isOurs = labels.some((name) => name.toLowerCase() === label?.name.toLowerCase());
  if ((action === 'labeled' || action === 'unlabeled') && !isOurs) return ignored('another label');
  const actor = toActor(sender);
  if (actor.kind === 'bot') return ignored('a bot did this');

  const read = IssuesPayload.safeParse(payload);
  if (!read.success) return invalid(read.error.issues[0]?.path);
  const { issue, repository, installation } = read.data;
  const { id: repositoryId, name, owner } = repository;
  const common = {
    forge: 'github',
    deliveryId: id,
    repository: { id: repositoryId, owner: owner.login, name, installation: installation.id },
    issue: issue.number,
    sender: actor,
  } as const;
  if (reason !== null)
    return { kind: 'trigger', trigger: { kind: 'cancel', ...common, reason, label: label?.name ?? null } };
  if (!label) return ignored('another label');
  const intent = `github:${repositoryId}:${issue.number}:${label.name.toLowerCase()}:${issue.updated_at}`;
  const text = {
    label: label.name,
    labelledAt: issue.updated_at,
    title: issue.title,
    body: issue.body ?? '',
  };
  return { kind: 'trigger', trigger: { kind: 'label', ...common, intent, ...text } };
}

function ignored(reason: string): Parsed {
  return { kind: 'ignored', reason };
}

function invalid(path: readonly PropertyKey[] | undefined): Parsed {
  const field = path?.join('.') || 'body';
  const hint = field.startsWith('installation') ? ': the webhook must be that of a GitHub App' : '';
  return { kind: 'invalid', reason: `the payload's ${field} is missing or not as expected${hint}` };
}
