import { PERMISSIONS, type Permission } from '../forge/types.ts';
import type { LabelTrigger } from '../webhook/trigger.ts';
import type { Facts } from './facts.ts';
import { type Caps, layerPolicy } from './layers.ts';
import { parsePolicy } from './parse-policy.ts';
import { pinText } from './pin.ts';
import type { Admission, Policy, RefusalCode, Refused } from './types.ts';

/** The server's settings that admission decides by. */
export interface AdmissionRules {
  /** Labels that may ask for a run; a policy chooses one of them. The first is the default. */
  readonly labels: readonly [string, ...string[]];
  readonly caps: Caps;
  readonly runsAnHourPerIssue: number;
}

/**
 * May this trigger become a run? Pure: facts in, decision out. The order lets strangers learn least: who asks is judged
 * before anything about the repository is told.
 */
export function admit(trigger: LabelTrigger, facts: Facts, rules: AdmissionRules): Admission {
  const early = refuseSender(trigger, facts) ?? refusePlace(trigger, facts);
  if (early) return early;
  const { repository, issue, policy: found } = facts;
  if (!repository?.head || !issue) return refuse('repository_empty');
  if (!found) return refuse('policy_missing', { label: rules.labels[0] });

  const parsed = parsePolicy(found.text);
  if (parsed.kind === 'problems') {
    const texts = parsed.problems
      .slice(0, 10)
      .map(({ line, column, text }) => `line ${line}, column ${column}: ${text}`);
    return refuse('policy_invalid', {
      path: found.source.path,
      branch: repository.defaultBranch,
      problems: texts.join('\n'),
    });
  }
  const policy = layerPolicy(parsed.file, { caps: rules.caps, label: rules.labels[0] });
  const late = refusePolicy(trigger, policy, rules) ?? refuseCaps(facts, policy, rules);
  if (late) return late;
  return {
    kind: 'admitted',
    policy,
    policySource: found.source,
    pinned: pinText(trigger, issue),
    permission: facts.permission,
    base: { branch: repository.defaultBranch, commit: repository.head },
  };
}

function refuse(code: RefusalCode, details: Readonly<Record<string, string>> = {}): Refused {
  return { kind: 'refused', code, details };
}

const mayWrite = (permission: Permission) => PERMISSIONS.indexOf(permission) >= PERMISSIONS.indexOf('write');

function refuseSender({ sender }: LabelTrigger, { identity, permission, repository }: Facts): Refused | null {
  if (sender.kind === 'bot' || sender.login === identity.login) return refuse('sender_is_bot');
  if (!repository) return refuse('repository_gone');
  return mayWrite(permission) ? null : refuse('permission_too_low', { permission, login: sender.login });
}

function refusePlace({ label }: LabelTrigger, { repository, issue }: Facts): Refused | null {
  if (repository?.archived) return refuse('repository_archived');
  if (repository?.disabled) return refuse('repository_disabled');
  if (!repository?.head) return refuse('repository_empty');
  if (!issue) return refuse('issue_gone');
  if (issue.isPullRequest) return refuse('is_pull_request');
  if (issue.state === 'closed') return refuse('issue_closed');
  return issue.labels.some((name) => sameLabel(name, label)) ? null : refuse('label_gone', { label });
}

const sameLabel = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

function refusePolicy({ label }: LabelTrigger, policy: Policy, { labels }: AdmissionRules): Refused | null {
  if (!policy.enabled) return refuse('policy_disabled');
  const known = labels.some((name) => sameLabel(name, policy.label));
  return known && sameLabel(policy.label, label)
    ? null
    : refuse('label_not_ours', { label, expected: policy.label, labels: labels.join(', ') });
}

function refuseCaps(facts: Facts, policy: Policy, rules: AdmissionRules): Refused | null {
  if (facts.runsToday >= policy.limits.runsADay)
    return refuse('daily_cap', { cap: String(policy.limits.runsADay) });
  if (facts.runsThisHour >= rules.runsAnHourPerIssue)
    return refuse('hourly_cap', { cap: String(rules.runsAnHourPerIssue) });
  return null;
}
