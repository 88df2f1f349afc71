import type { LabelTrigger } from '../webhook/trigger.ts';
import type { Facts, FoundPolicy } from './facts.ts';
import { type Caps, type LayeredPolicy, layerPolicy } from './layers.ts';
import { mayWrite } from './may-write.ts';
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

  const read = readPolicy(found, repository.defaultBranch, rules);
  if (read.kind === 'refused') return read;
  const { policy, narrowed } = read.layered;
  const late = refusePolicy(trigger, policy) ?? refuseCaps(facts, policy, rules);
  if (late) return late;
  return {
    kind: 'admitted',
    policy,
    policySource: found.source,
    narrowed,
    pinned: pinText(trigger, issue),
    permission: facts.permission,
    base: { branch: repository.defaultBranch, commit: repository.head },
  };
}

type Read = Refused | { readonly kind: 'read'; readonly layered: LayeredPolicy };

const UNREADABLE = {
  not_a_file: 'it is no file',
  too_large: 'the file is larger than 64 KiB',
  not_text: 'the file is not text in UTF-8',
} as const;
/** As many as people mend in one go. */
const MAX_PROBLEMS = 10;

/** A policy that is there and can't be used refuses the run: it is never passed over for the server's default. */
function readPolicy(found: FoundPolicy, branch: string, { labels, caps }: AdmissionRules): Read {
  const { path } = found.source;
  if ('unreadable' in found)
    return refuse('policy_invalid', { path, branch, problems: UNREADABLE[found.unreadable] });
  const parsed = parsePolicy(found.text, { labels });
  if (parsed.kind === 'policy')
    return { kind: 'read', layered: layerPolicy(parsed.file, { caps, label: labels[0] }) };
  const texts = parsed.problems.map(({ line, column, text }) => `line ${line}, column ${column}: ${text}`);
  const more = texts.length - MAX_PROBLEMS;
  const shown = more > 0 ? [...texts.slice(0, MAX_PROBLEMS), `and ${more} more`] : texts;
  return refuse('policy_invalid', { path, branch, problems: shown.join('\n') });
}

function refuse(code: RefusalCode, details: Readonly<Record<string, string>> = {}): Refused {
  return { kind: 'refused', code, details };
}

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

function refusePolicy({ label }: LabelTrigger, policy: Policy): Refused | null {
  if (!policy.enabled) return refuse('policy_disabled');
  return sameLabel(policy.label, label) ? null : refuse('label_not_ours', { label, expected: policy.label });
}

function refuseCaps(facts: Facts, policy: Policy, rules: AdmissionRules): Refused | null {
  if (facts.runsToday >= policy.limits.runsADay)
    return refuse('daily_cap', { cap: String(policy.limits.runsADay) });
  if (facts.runsThisHour >= rules.runsAnHourPerIssue)
    return refuse('hourly_cap', { cap: String(rules.runsAnHourPerIssue) });
  return null;
}
