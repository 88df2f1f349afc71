import { randomInt } from 'node:crypto';

/** Ids that a sandbox's processes have outside. */
export interface HostUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Ids that Debian keeps free (65000–65533 reserved) and that exist even where a container maps only 65,536 of them. They
 * need no account.
 */
const FIRST_ID = 65_000;
const ID_COUNT = 500;

/**
 * The user that a sandbox's processes are outside, or null for our own. Root never runs a sandbox as itself: the kernel
 * lets user 0 write /proc/sys without any capability (core_pattern: code as root on the host), also in a user namespace.
 * One of 500 ids by chance: kernel budgets per user (inotify, pipes, keys) are then seldom shared; nothing relies on it.
 */
export function chooseHostUser(ownUid: number): HostUser | null {
  if (ownUid !== 0) return null;
  const id = FIRST_ID + randomInt(ID_COUNT);
  return { uid: id, gid: id };
}
