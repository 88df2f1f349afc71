import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { cgroupCandidates } from './cgroup-hierarchies.ts';
import { type ControlGroupPlace, canUse, controlGroupsIn } from './control-group.ts';

/** The first place on this machine where a control group can really be made and filled, or null (often so without root). */
export async function findControlGroups(): Promise<ControlGroupPlace | null> {
  const read = (file: string) => readFile(file, 'utf8').catch(() => '');
  const candidates = cgroupCandidates(await read('/proc/self/cgroup'), await read('/proc/self/mountinfo'));
  for (const hierarchies of candidates) {
    const place = controlGroupsIn(hierarchies);
    if (await canUse(place, `trial-${randomBytes(8).toString('hex')}`)) return place;
  }
  return null;
}
