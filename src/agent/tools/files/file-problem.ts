import { repr } from '../python-text.ts';

/** Why a file can't be had, as the scripts name it, with what Python says then. */
const PROBLEMS = {
  missing: 'FileNotFoundError: [Errno 2] No such file or directory',
  denied: 'PermissionError: [Errno 13] Permission denied',
  exists: 'FileExistsError: [Errno 17] File exists',
  not_directory: 'NotADirectoryError: [Errno 20] Not a directory',
  directory: 'IsADirectoryError: [Errno 21] Is a directory',
  too_large: 'OSError: [Errno 27] File too large',
  no_space: 'OSError: [Errno 28] No space left on device',
  read_only: 'OSError: [Errno 30] Read-only file system',
  too_long: 'OSError: [Errno 36] File name too long',
  loop: 'OSError: [Errno 40] Too many levels of symbolic links',
  special: 'OSError: [Errno 22] Not a regular file',
  time: 'TimeoutError: [Errno 110] The file did not answer in time',
} as const;

export type FileProblem = keyof typeof PROBLEMS;

export function isFileProblem(word: string): word is FileProblem {
  return Object.hasOwn(PROBLEMS, word);
}

/** The observation, with the path as the model gave it. */
export function describeProblem(problem: FileProblem, path: string): string {
  return `${PROBLEMS[problem]}: ${repr(path)}`;
}
