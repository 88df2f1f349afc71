import { globSync } from 'node:fs';
import { join, relative } from 'node:path';

/** In the order in which they run: what is quick and narrow first. Files of heavy tiers have the machine to themselves. */
export const TIERS = {
  unit: { heavy: false },
  contract: { heavy: false },
  integration: { heavy: true },
  attacks: { heavy: true },
  e2e: { heavy: true },
  real: { heavy: true },
} as const;

export type Tier = keyof typeof TIERS;
export const TIER_NAMES = Object.keys(TIERS) as readonly Tier[];

export interface Selection {
  readonly tiers: readonly Tier[];
  /** Parts of paths; a file that contains any of them is taken. Empty = all files. */
  readonly parts: readonly string[];
}

/** `[TIER…] [PART OF A PATH…]`; without a tier all of them. */
export function parseSelection(argv: readonly string[]): Selection {
  const tiers = TIER_NAMES.filter((tier) => argv.includes(tier));
  const parts = argv.filter((each) => !tiers.some((tier) => tier === each));
  return { tiers: tiers.length > 0 ? tiers : TIER_NAMES, parts };
}

/** Absolute paths of a tier's test files that were asked for, sorted. */
export function findTests(root: string, tier: Tier, parts: readonly string[]): readonly string[] {
  const files = globSync(`test/${tier}/**/*.test.ts`, { cwd: root }).map((file) => join(root, file));
  return files.filter((file) => isWanted(relative(root, file), parts)).sort();
}

function isWanted(file: string, parts: readonly string[]): boolean {
  return parts.length === 0 || parts.some((part) => file.includes(part.replace(/^\.\//, '')));
}
