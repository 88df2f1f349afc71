import type { Secrets } from '../../secrets.ts';
import type { GitAccess, RepositoryRef } from '../types.ts';
import type { GitHub } from './github.ts';
import { readRepository } from './read/repository.ts';
import { goneFault } from './rest/client.ts';

/**
 * Address and header for one git process. The token is minted now, never one of an earlier call: a fetch or push may take
 * long (B08). git follows no redirect, so a renamed repository is addressed by the name that it has now. GitHub takes a
 * token only as the password of `x-access-token` (B09).
 */
export async function gitAccess(
  github: GitHub,
  { ref, access }: { readonly ref: RepositoryRef; readonly access: 'read' | 'write' },
  { secrets, signal }: { readonly secrets: Pick<Secrets, 'register'>; readonly signal: AbortSignal },
): Promise<GitAccess> {
  const found = await readRepository(github, ref, signal);
  const token = await github.client.tokens.mint({ ref, use: access === 'write' ? 'push' : 'fetch' }, signal);
  if (found === null || token === null) throw goneFault(`a token to ${access} with git`);
  const credentials = Buffer.from(`x-access-token:${token}`).toString('base64');
  secrets.register(credentials);
  const path = [found.ref.owner, found.ref.name].map(encodeURIComponent).join('/');
  return { url: `${github.webUrl}/${path}.git`, headers: [`Authorization: Basic ${credentials}`] };
}
