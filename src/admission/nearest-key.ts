import { closest, distance } from 'fastest-levenshtein';
import { POLICY_KEYS } from './policy-schema.ts';

/** Farther than this a key is another word, not a slip. */
const MAX_SLIP = 3;

/**
 * The key that was meant, with its parents: the nearest one in the same group, else one of exactly this name in another
 * group (`minutes` at the top is `limits.minutes`). Null when nothing is near.
 */
export function nearestKey(parent: string, key: string): string | null {
  const known = POLICY_KEYS[parent] ?? [];
  const best = known.length > 0 ? closest(key, known) : null;
  if (best !== null && distance(key, best) <= Math.min(MAX_SLIP, Math.floor(best.length / 2)))
    return joined(parent, best);
  const [elsewhere] = Object.entries(POLICY_KEYS).filter(([, keys]) => keys.includes(key));
  return elsewhere ? joined(elsewhere[0], key) : null;
}

function joined(parent: string, key: string): string {
  return parent === '' ? key : `${parent}.${key}`;
}
