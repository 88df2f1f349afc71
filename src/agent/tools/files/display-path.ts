import { WORKSPACE } from '../../../sandbox/types.ts';

/** A real path as observations name it: relative to the working directory, or absolute where it lies outside. */
export function displayPath(realPath: string): string {
  if (realPath === WORKSPACE) return '.';
  return realPath.startsWith(`${WORKSPACE}/`) ? realPath.slice(WORKSPACE.length + 1) : realPath;
}
