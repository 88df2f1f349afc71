import { matchesName, type NamePattern, parseName } from './match-name.ts';

type Segment =
  /** Any folders, none included; hidden ones are not entered. */
  | { readonly kind: 'folders' }
  | { readonly kind: 'name'; readonly pattern: NamePattern; readonly matchesHidden: boolean };

/** A pattern taken apart: the folder to begin in, and what is to match below it. */
export interface GlobPattern {
  /** As written: relative, absolute, or with `~`. */
  readonly root: string;
  readonly segments: readonly Segment[];
  /** How deep below the root a match can be; null = any. */
  readonly depth: number | null;
  /** Whether any name in the pattern asks for hidden files. */
  readonly wantsHidden: boolean;
}

const MAGIC = /[*?[]/;

/** Python's rules: `**` alone in its place stands for folders; null when the pattern can only match folders. */
export function parseGlob(pattern: string, base: string): GlobPattern | null {
  if (pattern.endsWith('/')) return null;
  const isAbsolute = pattern.startsWith('/') || pattern === '~' || pattern.startsWith('~/');
  const names = pattern.split('/').filter((name) => name !== '' && name !== '.');
  const firstMagic = names.findIndex((name) => MAGIC.test(name));
  const fixed = firstMagic < 0 ? names.length - 1 : firstMagic;
  const start = `${pattern.startsWith('/') ? '/' : ''}${names.slice(0, fixed).join('/')}`;
  const segments = names.slice(Math.max(0, fixed)).map(parseSegment);
  if (segments.length === 0) return null;
  return {
    root: isAbsolute ? start : join(base, start),
    segments,
    depth: segments.some((segment) => segment.kind === 'folders') ? null : segments.length,
    wantsHidden: segments.some((segment) => segment.kind === 'name' && segment.matchesHidden),
  };
}

function join(base: string, rest: string): string {
  return rest === '' ? base : `${base}/${rest}`;
}

function parseSegment(name: string): Segment {
  if (name === '**') return { kind: 'folders' };
  return { kind: 'name', pattern: parseName(name), matchesHidden: name.startsWith('.') };
}

/** Whether a path below the root matches. Every pair of segment and name is looked at once at most. */
export function matchesPath({ segments }: GlobPattern, path: string): boolean {
  const names = path.split('/');
  // reached[i]: the segments so far can have taken the first i names.
  let reached = names.map(() => false);
  reached.unshift(true);
  segments.forEach((segment, place) => {
    reached =
      segment.kind === 'folders'
        ? passFolders(reached, names, place === segments.length - 1)
        : passName(reached, names, segment);
  });
  return reached[names.length] === true;
}

function isHidden(name: string | undefined): boolean {
  return name?.startsWith('.') === true;
}

function passName(
  reached: readonly boolean[],
  names: readonly string[],
  { pattern, matchesHidden }: Extract<Segment, { kind: 'name' }>,
): boolean[] {
  return reached.map((_, index) => {
    const name = names[index - 1];
    if (name === undefined || !reached[index - 1] || (isHidden(name) && !matchesHidden)) return false;
    return matchesName(pattern, name);
  });
}

/** At the end of a pattern `**` takes the file as well; the folders before it alone are no file. */
function passFolders(reached: readonly boolean[], names: readonly string[], isLast: boolean): boolean[] {
  const passed = [...reached];
  if (isLast) passed[names.length] = false;
  const most = isLast ? names.length : names.length - 1;
  for (let index = 1; index <= most; index += 1)
    passed[index] = passed[index] === true || (passed[index - 1] === true && !isHidden(names[index - 1]));
  return passed;
}
