import { lstat, readlink } from 'node:fs/promises';

/** How the machine lays out the folders beside /usr: links into it (most systems today) or folders of their own. */
export interface SystemLayout {
  readonly links: readonly { readonly target: string; readonly at: string }[];
  readonly folders: readonly string[];
}

const BESIDE_USR = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** Looks at the machine once; what does not exist is left out. */
export async function readSystemLayout(): Promise<SystemLayout> {
  const links: { target: string; at: string }[] = [];
  const folders: string[] = [];
  for (const at of BESIDE_USR) {
    const found = await lstat(at).catch(() => null);
    if (found?.isSymbolicLink()) links.push({ target: await readlink(at), at });
    if (found?.isDirectory()) folders.push(at);
  }
  return { links, folders };
}
