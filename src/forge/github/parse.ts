import type { Trigger } from '../../webhook/trigger.ts';
import { IssuesPayload } from './schema.ts';

/** A verified delivery as GitHub sends it. */
export interface GitHubDelivery {
  readonly id: string;
  /** `X-GitHub-Event`. */
  readonly event: string;
  readonly payload: unknown;
}

export type Parsed =
  | { readonly kind: 'trigger'; readonly trigger: Trigger }
  | { readonly kind: 'ignored'; readonly reason: string }
  | { readonly kind: 'invalid'; readonly reason: string };

const CANCELS = { unlabeled: 'label_removed', closed: 'issue_closed', deleted: 'issue_deleted' } as const;

function cancelReason(action: string) {
  return action === 'unlabeled' || action === 'closed' || action === 'deleted' ? CANCELS[action] : null;
}

/** What a delivery asks for. What bots do asks for nothing, our own doings among it (B04, T49). */
export function parseDelivery({ id, event, payload }: GitHubDelivery, labels: readonly string[]): Parsed {
  if (event !== 'issues') return ignored(`event ${event}`);
  const read = IssuesPayload.safeParse(payload);
  if (!read.success)
    return {
      kind: 'invalid',
      reason: `the payload's ${read.error.issues[0]?.path.join('.') || 'body'} is not as expected`,
    };
  const { action, issue, label, repository, sender, installation } = read.data;
  if (!installation)
    return {
      kind: 'invalid',
      reason: 'the payload has no installation: the webhook must be that of a GitHub App',
    };
  const ours = label !== undefined && labels.some((name) => name.toLowerCase() === label.name.toLowerCase());
  const reason = cancelReason(action);
  if (action !== 'labeled' && reason === null) return ignored(`action ${action}`);
  if ((action === 'labeled' || action === 'unlabeled') && !ours) return ignored('a label that is not ours');
  if (sender.type === 'Bot' || sender.login.endsWith('[bot]')) return ignored('a bot did this');

  const common = {
    forge: 'github',
    deliveryId: id,
    repository: {
      id: repository.id,
      owner: repository.owner.login,
      name: repository.name,
      installation: installation.id,
    },
    issue: issue.number,
    sender: { id: sender.id, login: sender.login, kind: 'user' },
  } as const;
  if (reason)
    return { kind: 'trigger', trigger: { kind: 'cancel', ...common, reason, label: label?.name ?? null } };
  if (!label) return ignored('no label');
  const intent = `github:${repository.id}:${issue.number}:${label.name.toLowerCase()}:${issue.updated_at}`;
  const text = { title: issue.title, body: issue.body ?? '' };
  return {
    kind: 'trigger',
    trigger: { kind: 'label', ...common, intent, label: label.name, labelledAt: issue.updated_at, ...text },
  };
}

function ignored(reason: string): Parsed {
  return { kind: 'ignored', reason };
}
