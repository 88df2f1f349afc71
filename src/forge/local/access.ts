import { createVerify } from 'node:crypto';
import type { Token, World } from './world.ts';

/** Who a request comes from, by its Authorization header. */
export type Caller =
  | { readonly kind: 'app' }
  | { readonly kind: 'installation'; readonly token: Token }
  | { readonly kind: 'nobody' };

/** Reads the header as GitHub does: an App's JWT as Bearer, a token as `token`, Bearer or the password of Basic. */
export function identify(world: World, header: string | null): Caller {
  const [scheme = '', value = ''] = (header ?? '').split(' ');
  if (scheme.toLowerCase() === 'basic') {
    const [user, password = ''] = Buffer.from(value, 'base64').toString('utf8').split(':');
    return user === 'x-access-token' ? byToken(world, password) : { kind: 'nobody' };
  }
  if (value.split('.').length === 3) return isAppToken(world, value) ? { kind: 'app' } : { kind: 'nobody' };
  return byToken(world, value);
}

function byToken(world: World, value: string): Caller {
  const token = world.tokens.get(value);
  return token && token.expiresAt > Date.now() ? { kind: 'installation', token } : { kind: 'nobody' };
}

/** RS256 over the App's public key, within its life, at most ten minutes long. */
function isAppToken({ app }: World, jwt: string): boolean {
  const [head = '', body = '', signature = ''] = jwt.split('.');
  if (
    !app ||
    !createVerify('RSA-SHA256')
      .update(`${head}.${body}`)
      .verify(app.publicKey, Buffer.from(signature, 'base64url'))
  )
    return false;
  try {
    const claims: unknown = JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
    if (
      typeof claims !== 'object' ||
      claims === null ||
      !('iss' in claims) ||
      !('exp' in claims) ||
      !('iat' in claims)
    )
      return false;
    const now = Date.now() / 1000;
    const [issued, expires] = [Number(claims.iat), Number(claims.exp)];
    return (
      String(claims.iss) === String(app.id) && issued <= now + 60 && expires > now && expires - issued <= 660
    );
  } catch {
    return false;
  }
}

const LEVELS = ['none', 'read', 'write', 'admin'];

/** Whether a token holds a permission at least at a level. */
export function holds({ permissions }: Token, permission: string, level: 'read' | 'write'): boolean {
  return LEVELS.indexOf(permissions[permission] ?? 'none') >= LEVELS.indexOf(level);
}
