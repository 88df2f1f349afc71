/** Where a GitHub is: REST, and pages and git remotes. No slash at their ends. */
export interface Addresses {
  readonly apiUrl: string;
  readonly webUrl: string;
}

/** Names under which people know the public one; its REST API has a host of its own, without a prefix. */
const PUBLIC_HOSTS: ReadonlySet<string> = new Set(['github.com', 'www.github.com', 'api.github.com']);

/**
 * Every address of a GitHub from its base, such as `https://git.corp.example:8443`: scheme, host and port are kept, all
 * else is GitHub's own rule, `/api/v3` for Enterprise Server. Nothing else decides where a request goes (case B06, T37).
 */
export function toAddresses(baseUrl: string): Addresses {
  const { protocol, host, hostname } = new URL(baseUrl);
  if (PUBLIC_HOSTS.has(hostname)) return { apiUrl: 'https://api.github.com', webUrl: 'https://github.com' };
  const webUrl = `${protocol}//${host}`;
  return { apiUrl: `${webUrl}/api/v3`, webUrl };
}
