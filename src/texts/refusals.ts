import type { RefusalCode } from '../admission/types.ts';
import { escaped, fenced, inline, mention } from './markdown.ts';

/** Values of a refusal; hostile where they come from a file or a login. A missing one leaves its part of the sentence out. */
export type Details = Readonly<Record<string, string>>;

/** Why, to follow "Tadpole did not start:", and how to mend it. */
export interface RefusalText {
  readonly why: string;
  readonly mend: string;
}

const EXAMPLE =
  '```yaml\nlabel: tadpole\ntest:\n  command: python -m pytest -q --junitxml="$TADPOLE_REPORT"\n```';

function policyInvalid({ path, branch, problems }: Details): RefusalText {
  const where = branch === undefined ? '' : ` on ${inline(branch)}`;
  const list = fenced(problems ?? 'no more is known', 4_000);
  return {
    why: 'the policy file has a mistake',
    mend: `${inline(path ?? '.github/tadpole.yml')}${where}:\n\n${list}\n\nMend it on the default branch and set the label again.`,
  };
}

function permissionTooLow({ login, permission }: Details): RefusalText {
  return {
    why: `${login === undefined ? 'who set the label' : mention(login)} may not ask for a run here`,
    mend: `It needs write access to this repository; the forge says: ${escaped(permission ?? 'none')}. Someone with write access can set the label.`,
  };
}

/** The text of every refusal of admission. */
export const REFUSAL_TEXTS: Readonly<Record<RefusalCode, (details: Details) => RefusalText>> = {
  label_not_ours: ({ label, expected }) => ({
    why: `${label === undefined ? 'this label' : `the label ${inline(label)}`} is not the policy's`,
    mend: `Set ${expected === undefined ? "the policy's label" : `the label ${inline(expected)}`} instead.`,
  }),
  sender_is_bot: () => ({
    why: 'a bot set the label',
    mend: 'Only people may ask for a run. Someone with write access can set the label.',
  }),
  permission_too_low: permissionTooLow,
  repository_archived: () => ({
    why: 'this repository is archived',
    mend: 'Nothing can be pushed to it. Unarchive it and set the label again.',
  }),
  repository_disabled: () => ({
    why: 'this repository is disabled',
    mend: "Nothing can be pushed to it. Ask the forge's administrators to enable it, then set the label again.",
  }),
  repository_empty: () => ({
    why: 'this repository has no commit yet',
    mend: 'Push a first commit to the default branch and set the label again.',
  }),
  repository_gone: () => ({
    why: 'the repository is gone, or Tadpole may not see it any more',
    mend: 'Install the Tadpole app for it and set the label again.',
  }),
  issue_gone: () => ({ why: 'the issue is gone', mend: 'Write it anew and set the label there.' }),
  issue_closed: () => ({ why: 'the issue is closed', mend: 'Open it and set the label again.' }),
  is_pull_request: () => ({
    why: 'this is a pull request',
    mend: 'Tadpole works on issues. Open an issue that says what is wrong and set the label there.',
  }),
  label_gone: () => ({
    why: 'the label was taken off before the run began',
    mend: 'Set it again to ask for a run.',
  }),
  policy_missing: () => ({
    why: 'this repository has no policy file',
    mend: `Add \`.github/tadpole.yml\` to the default branch and set the label again. A short one:\n\n${EXAMPLE}`,
  }),
  policy_invalid: policyInvalid,
  policy_disabled: () => ({
    why: 'the policy switches it off here',
    mend: 'Set `enabled: true` in the policy file on the default branch, or remove that line, and set the label again.',
  }),
  already_running: () => ({
    why: 'a run for this issue is at work already',
    mend: 'Its own comment shows how far it is. Take the label off to stop it.',
  }),
  daily_cap: ({ cap }) => ({
    why: `this repository has had ${cap === undefined ? 'all' : `the ${escaped(cap)}`} runs that it may have in 24 hours`,
    mend: 'Set the label again later, or raise `limits.runs_a_day` in the policy file, as far as the server allows.',
  }),
  hourly_cap: ({ cap }) => ({
    why: `this issue has had ${cap === undefined ? 'all' : `the ${escaped(cap)}`} runs that it may have in an hour`,
    mend: 'Make the issue more exact meanwhile, and set the label again in an hour.',
  }),
};
