import { foldSegment } from './fold.ts';

interface NameRule {
  readonly test: (segment: string) => boolean;
  readonly reason: string;
}

const SEGMENT_RULES: readonly NameRule[] = [
  { test: (segment) => segment === '', reason: 'has an empty part in its path' },
  { test: (segment) => /\p{Cc}|\p{Zl}|\p{Zp}/u.test(segment), reason: 'has a control character in its name' },
  {
    test: (segment) => /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Co}\p{Cn}]/u.test(segment),
    reason: 'has an invisible character in its name',
  },
  { test: (segment) => segment.includes('\\'), reason: 'has a backslash in its name' },
  { test: (segment) => segment.includes(':'), reason: 'has a colon in its name' },
  {
    test: (segment) => /^\s|[.\s]$/u.test(segment),
    reason: 'has a name that begins with a space or ends with a dot or space',
  },
  { test: (segment) => segment.startsWith('-'), reason: 'has a name that looks like an option' },
  {
    test: (segment) => segment.startsWith('~') || /^[^.]{1,6}~\d+(\.|$)/.test(foldSegment(segment)),
    reason: 'has a name that means something else to Windows or a shell',
  },
  { test: (segment) => Buffer.byteLength(segment) > 200, reason: 'has a name of more than 200 bytes' },
];

const MAX_PATH_BYTES = 1000;

/** Why a path that the base does not have must not be added; null when it may. Existing paths are taken as they are. */
export function findNewNameProblem(path: string): string | null {
  const segments = path.split('/');
  for (const { test, reason } of SEGMENT_RULES) if (segments.some(test)) return reason;
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `has a path of more than ${MAX_PATH_BYTES} bytes`;
  // Settings of tools and editors run by themselves on other people's machines.
  if (segments.length > 1 && foldSegment(segments[0] ?? '').startsWith('.'))
    return 'lies in a dot-folder at the top, where the base has no such file';
  return null;
}
