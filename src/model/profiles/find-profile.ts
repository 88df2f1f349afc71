import { fault } from '../../errors.ts';
import type { Profile } from '../types.ts';
import { FROGNANO } from './frognano.ts';

const PROFILES: readonly Profile[] = [FROGNANO];

/** The profile of this name; `config_invalid` names those that there are. */
export function findProfile(name: string): Profile {
  const profile = PROFILES.find((each) => each.name === name);
  if (profile) return profile;
  const known = PROFILES.map((each) => each.name).join(', ');
  throw fault('config_invalid', {
    detail: `MODEL_PROFILE: there is no profile ${JSON.stringify(name)}; known: ${known}`,
  });
}
