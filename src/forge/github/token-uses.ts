export type Permissions = Readonly<
  Partial<Record<'contents' | 'issues' | 'pull_requests' | 'checks' | 'metadata', 'read' | 'write'>>
>;

/** The permissions that Tadpole's tokens ever ask for; app.yml is compared with it. */
export const TOKEN_USES = {
  facts: { contents: 'read', issues: 'read', metadata: 'read' },
  fetch: { contents: 'read', metadata: 'read' },
  push: { contents: 'write', metadata: 'read' },
  report: { issues: 'write', pull_requests: 'write', checks: 'write', metadata: 'read' },
} as const satisfies Record<string, Permissions>;
export type TokenUse = keyof typeof TOKEN_USES;
