import type { z } from 'zod';
import { type Actor, type ActorKind, PERMISSIONS, type Permission } from '../types.ts';
import type { PermissionAnswer, User } from './schema.ts';

/** By type, not by name alone; a type that we do not know is no person (T09). */
function toActorKind({ login, type }: Pick<z.output<typeof User>, 'login' | 'type'>): ActorKind {
  return type === 'User' && !login.endsWith('[bot]') ? 'user' : 'bot';
}

/** Total. */
export function toActor(user: z.output<typeof User>): Actor {
  return { id: user.id, login: user.login, kind: toActorKind(user) };
}

/**
 * `role_name` knows triage and maintain; for an organisation's own roles it holds their names, and the coarse `permission`
 * says what they amount to. Unknown words are no permission. Total.
 */
export function toPermission({ permission, role_name }: z.output<typeof PermissionAnswer>): Permission {
  const find = (word: string | null | undefined) => PERMISSIONS.find((name) => name === word);
  return find(role_name) ?? find(permission) ?? 'none';
}
