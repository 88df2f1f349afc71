import { PERMISSIONS, type Permission } from '../forge/types.ts';

/** Whether a person may ask for runs: whoever could push the change themselves (T09). */
export function mayWrite(permission: Permission): boolean {
  return PERMISSIONS.indexOf(permission) >= PERMISSIONS.indexOf('write');
}
