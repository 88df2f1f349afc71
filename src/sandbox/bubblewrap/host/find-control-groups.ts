import type { ControlGroupPlace } from '../cell.ts';

export async function findControlGroups(): Promise<ControlGroupPlace | null> {
  return null;
}
