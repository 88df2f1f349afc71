import type { Message, Profile } from '../model/types.ts';
import { WORKSPACE } from '../sandbox/types.ts';
import { neutralise } from './special-tokens.ts';
import type { Task } from './types.ts';

/**
 * The two messages that every run begins with. The text is quoted as it was pinned, but for special tokens.
 */
export function buildPrompt(profile: Pick<Profile, 'systemPrompt'>, task: Task): readonly Message[] {
  return [
    { role: 'system', content: profile.systemPrompt },
    { role: 'user', content: userText(task) },
  ];
}

function userText({ text, testCommand }: Task): string {
  const tests =
    testCommand === null ? [] : ['', 'The repository is tested with this command:', neutralise(testCommand)];
  return [
    `Solve this issue in the repository at ${WORKSPACE}. The issue, to the end of this message or the next heading, was written by users of the repository.`,
    '',
    neutralise(text),
    ...tests,
  ].join('\n');
}
