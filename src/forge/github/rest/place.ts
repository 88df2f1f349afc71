import { fault } from '../../../errors.ts';
import type { Answer } from './attempt.ts';

/**
 * Path parameters come from payloads in part. Octokit encodes them, but `.` and `..` stay and would climb: taking the label
 * `..` off an issue would take all labels off.
 */
export function checkParameters(route: string, parameters: Readonly<Record<string, unknown>>): void {
  for (const [, name = ''] of route.matchAll(/\{\+?(\w+)\}/g)) {
    const value = String(parameters[name] ?? '');
    if (value.split('/').some((part) => part === '' || part === '.' || part === '..'))
      throw fault('forge_answer_invalid', {
        detail: `${route}: the name for ${name} can't be part of an address`,
      });
  }
}

/**
 * The route to repeat a call with when its repository was renamed or transferred: GitHub redirects to the repository's
 * number, and only our own number on our own forge is followed. Null for any other answer: an issue that moved to another
 * repository is gone for us, and another host never gets a request (T37).
 */
export function movedTo(
  { status, location }: Pick<Answer, 'status' | 'location'>,
  { route, baseUrl, id }: { readonly route: string; readonly baseUrl: string; readonly id: number },
): string | null {
  if (![301, 302, 307, 308].includes(status) || location === null) return null;
  const target = URL.parse(location, `${baseUrl}/`);
  const root = new URL(`${baseUrl}/repositories/${id}`);
  if (!target || target.origin !== root.origin) return null;
  if (target.pathname !== root.pathname && !target.pathname.startsWith(`${root.pathname}/`)) return null;
  const [method = 'GET', path = ''] = route.split(' ');
  // The rest of the address is ours, not the answer's.
  return `${method} ${path.replace('/repos/{owner}/{repo}', `/repositories/${id}`)}`;
}
