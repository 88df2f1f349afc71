export type Permissions = Readonly<
  Partial<Record<'contents' | 'issues' | 'pull_requests' | 'checks' | 'metadata', 'read' | 'write'>>
>;

/**
 * What each token may do: one use, one repository, no more. These are all the permissions that Tadpole ever asks for;
 * app.yml is compared with them.
 */
export const TOKEN_USES = {
  facts: { contents: 'read', issues: 'read', metadata: 'read' },
  fetch: { contents: 'read', metadata: 'read' },
  push: { contents: 'write', metadata: 'read' },
  talk: { issues: 'write', metadata: 'read' },
  draft: { pull_requests: 'write', metadata: 'read' },
  check: { checks: 'write', metadata: 'read' },
} as const satisfies Record<string, Permissions>;
export type TokenUse = keyof typeof TOKEN_USES;

const LEVELS = ['read', 'write', 'admin'];
const atLeast = (held: string | undefined, level: string) =>
  LEVELS.indexOf(held ?? '') >= LEVELS.indexOf(level);

/** The union of all uses, the higher level where they differ. */
export function neededPermissions(): Permissions {
  const needed: Record<string, 'read' | 'write'> = {};
  for (const use of Object.values(TOKEN_USES))
    for (const [name, level] of Object.entries(use)) if (!atLeast(needed[name], level)) needed[name] = level;
  return needed;
}

/** What is asked for and not held, as people name it on GitHub's pages: `pull_requests: write`. */
export function missingPermissions(
  asked: Readonly<Record<string, string>>,
  held: Readonly<Record<string, string>>,
): readonly string[] {
  return Object.entries(asked)
    .filter(([name, level]) => !atLeast(held[name], level))
    .map(([name, level]) => `${name}: ${level}`)
    .toSorted();
}
