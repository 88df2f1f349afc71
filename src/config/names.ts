import { distance } from 'fastest-levenshtein';
import type { Report } from './problems.ts';

/** Names that start like this are ours, or are likely meant for us. */
const PREFIXES = ['TADPOLE_', 'MODEL_', 'GITHUB_', 'SANDBOX_', 'CAP_'];

/** Further apart than this, a name is somebody else's: a CI system alone sets dozens that start with GITHUB_. */
const NEAR = 2;

/** Reports names that look like a slip of the pen: unknown, with one of our prefixes, and near to a known one. */
export function reportSlips(names: readonly string[], known: readonly string[], report: Report): void {
  for (const name of names) {
    if (known.includes(name) || !PREFIXES.some((prefix) => name.startsWith(prefix))) continue;
    const near = known.find((each) => distance(each, name) <= NEAR);
    if (near) report(name, `is not a known variable; did you mean ${near}?`);
  }
}
