import { escaped, fenced, inline } from './markdown.ts';
import type { Details, RefusalText } from './refusals.ts';

const SAID_BYTES = 1_200;

/** What the forge answered, quoted: hooks and rules of the forge have their own words. */
function quoteForge({ said }: Details): string {
  return said === undefined || said === '' ? '' : `\n\nThe forge's own words:\n\n${fenced(said, SAID_BYTES)}`;
}

function refusedPush(why: string, mend: string): (details: Details) => RefusalText {
  return (details) => ({ why, mend: `${mend}${quoteForge(details)}` });
}

/** Why a finished change was not offered, by the code that publish stored; a test compares the codes. */
export const PUBLISH_TEXTS: Readonly<Record<string, (details: Details) => RefusalText>> = {
  repository_gone: () => ({
    why: 'the repository is gone, or Tadpole may not see it any more',
    mend: 'Install the Tadpole app for it and set the label again.',
  }),
  repository_archived: () => ({
    why: 'the repository was archived meanwhile',
    mend: 'Unarchive it and set the label again.',
  }),
  repository_disabled: () => ({
    why: 'the repository was disabled meanwhile',
    mend: "Ask the forge's administrators to enable it, then set the label again.",
  }),
  issue_gone: () => ({ why: 'the issue is gone', mend: 'Write it anew and set the label there.' }),
  issue_closed: () => ({
    why: 'the issue was closed meanwhile',
    mend: 'Open it and set the label again if a draft is still wanted.',
  }),
  label_gone: () => ({
    why: 'the label was taken off meanwhile',
    mend: 'Set it again if a draft is still wanted.',
  }),
  permission_too_low: ({ login, permission }) => ({
    why: `${login === undefined ? 'who asked' : inline(login)} has no write access any more`,
    mend: `The forge says: ${escaped(permission ?? 'none')}. Someone with write access can set the label.`,
  }),
  branch_taken: (details) => ({
    why: `the branch ${details.branch === undefined ? 'for the draft' : inline(details.branch)} holds other commits`,
    mend: `Someone else pushed to it, and Tadpole overwrites nothing. Delete or rename it and set the label again.${quoteForge(details)}`,
  }),
  workflows_protected: refusedPush(
    'the forge does not let Tadpole change workflow files',
    'Tadpole asks for no right to change them. Say in the issue that they must stay as they are, and set the label again.',
  ),
  secret_found: refusedPush(
    'the forge sees a secret in the change',
    'If it is a false alarm, allow it in the forge; else say in the issue what must not be written, and set the label again.',
  ),
  file_too_large: refusedPush(
    'the forge refuses a file for its size',
    'Say in the issue that no large file belongs into the change, and set the label again.',
  ),
  unsigned_commit: refusedPush(
    'the forge wants signed commits',
    "Tadpole's commits are not signed. Exempt branches named `tadpole/**` from that rule and set the label again.",
  ),
  sign_off_missing: refusedPush(
    'the forge wants a sign-off on commits',
    'Only a person can give one. Exempt branches named `tadpole/**` from that rule and set the label again.',
  ),
  branch_protected: refusedPush(
    'a rule of this repository does not allow the branch',
    'Allow the Tadpole app to create branches named `tadpole/**` and set the label again.',
  ),
  push_rejected: refusedPush(
    'the forge refused the push',
    "Mend what it names, or ask the forge's administrators, and set the label again.",
  ),
};
