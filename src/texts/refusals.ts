import type { RefusalCode } from '../admission/types.ts';
import { escaped, fenced, inline } from './markdown.ts';
import type { PublishRefusal } from './publish-refusal.ts';

type Details = Readonly<Record<string, string>>;
type Sentence = (details: Details) => string;

const AGAIN = 'and set the label again';

/** Why a run did not start, and how to mend it: the news first. */
export const REFUSAL_TEXTS: Record<RefusalCode, Sentence> = {
  label_not_ours: ({ expected = '' }) =>
    `this repository’s label is another.** Its policy asks for ${inline(expected)}; set that one.`,
  sender_is_bot: () => 'a bot set the label.** A person with write access can set it.',
  permission_too_low: ({ login = '', permission = 'none' }) =>
    `${inline(login)} may not ask for a run here.** It needs write access to this repository; the forge says: ${escaped(permission)}. Someone with write access can set the label.`,
  repository_archived: () => 'the repository is archived.** Nothing can be pushed to it.',
  repository_disabled: () => 'the repository is disabled.** Ask the forge’s administrators.',
  repository_empty: () => `the repository has no commit yet.** Push a first commit ${AGAIN}.`,
  repository_gone: () => 'the repository is gone.**',
  issue_gone: () => 'the issue is gone.**',
  issue_closed: () => `the issue is closed.** Open it ${AGAIN}.`,
  is_pull_request: () => 'this is a pull request.** Tadpole works on issues.',
  label_gone: () => 'the label was taken off before the run began.** Set it again to ask for a run.',
  policy_missing: ({ label = 'tadpole' }) =>
    `this repository has no policy file.** Add ${inline('.github/tadpole.yml')} to the default branch, for example:\n\n\`\`\`yaml\nlabel: ${label.replace(/[^\w-]/g, '')}\ntest:\n  command: python -m pytest -q --junitxml="$TADPOLE_REPORT"\n\`\`\`\n\nThen set the label again.`,
  policy_invalid: ({ path = '', branch = '', problems = '' }) =>
    `the policy file has a mistake.** ${inline(path)} on ${inline(branch)}:\n\n${fenced(problems, 4_000)}\n\nMend it ${AGAIN}.`,
  policy_disabled: () =>
    `the policy file says ${inline('enabled: false')}.** Change that on the default branch ${AGAIN}.`,
  already_running: () => 'a run for this issue is active already.** Its comment shows how far it is.',
  daily_cap: ({ cap = '' }) =>
    `this repository had its ${escaped(cap)} runs of the last 24 hours.** Set the label again later, or raise ${inline('limits.runs_a_day')} in the policy.`,
  hourly_cap: ({ cap = '' }) =>
    `this issue had its ${escaped(cap)} runs of the last hour.** Set the label again later.`,
};

/** Why a finished change was not published. */
export const PUBLISH_TEXTS: Record<PublishRefusal, Sentence> = {
  repository_gone: () => 'the repository is gone.**',
  repository_archived: () => 'the repository was archived meanwhile.**',
  repository_disabled: () => 'the repository was disabled meanwhile.**',
  issue_gone: () => 'the issue is gone.**',
  issue_closed: () => `the issue was closed meanwhile.** Open it ${AGAIN} if a draft is still wanted.`,
  label_gone: () => 'the label was taken off meanwhile.** Set it again to ask for a run.',
  permission_too_low: ({ login = '' }) =>
    `${inline(login)} no longer has write access.** Someone who has it can set the label.`,
  branch_taken: ({ branch = '' }) =>
    `the branch ${inline(branch)} exists already with other commits.** Delete it ${AGAIN}.`,
  workflows_protected: (details) => `the forge does not let Tadpole change workflow files.**${said(details)}`,
  secret_found: (details) => `the forge’s secret scanning refused the push.**${said(details)}`,
  file_too_large: (details) => `the forge refused a file for its size.**${said(details)}`,
  unsigned_commit: (details) =>
    `the forge wants signed commits, which Tadpole does not make.**${said(details)}`,
  sign_off_missing: (details) =>
    `the forge wants a sign-off, which only a person can give.**${said(details)}`,
  branch_protected: (details) => `a rule of the repository protects the branch name.**${said(details)}`,
  push_rejected: (details) => `the forge refused the push.**${said(details)}`,
};

function said({ said: words = '' }: Details): string {
  return words === '' ? '' : ` It said:\n\n${fenced(words, 1_500)}`;
}
