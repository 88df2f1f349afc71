import { generateKeyPairSync, randomBytes } from 'node:crypto';

/** State of the local forge: people, repositories, issues, pull requests, checks. In memory; repositories are real, on disk. */

export interface Person {
  readonly id: number;
  readonly login: string;
  readonly kind: 'User' | 'Bot';
}

export type Role = 'none' | 'read' | 'triage' | 'write' | 'maintain' | 'admin';

export interface Remark {
  readonly id: number;
  readonly author: Person;
  body: string;
  readonly createdAt: string;
  updatedAt: string;
}

export interface Ticket {
  readonly number: number;
  title: string;
  body: string;
  state: 'open' | 'closed';
  readonly author: Person;
  readonly createdAt: string;
  updatedAt: string;
  readonly labels: Set<string>;
  readonly comments: Remark[];
}

export interface Pull extends Omit<Ticket, 'labels'> {
  readonly head: string;
  readonly base: string;
  readonly draft: boolean;
}

export interface Check {
  readonly id: number;
  readonly commit: string;
  name: string;
  conclusion: string;
  title: string;
  summary: string;
}

export interface Place {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  /** Bare repository on disk. */
  readonly folder: string;
  readonly defaultBranch: string;
  archived: boolean;
  readonly roles: Map<string, Role>;
  readonly issues: Map<number, Ticket>;
  readonly pulls: Map<number, Pull>;
  readonly checks: Check[];
}

export interface App {
  readonly id: number;
  readonly slug: string;
  readonly bot: Person;
  readonly installation: number;
  readonly publicKey: string;
  readonly webhookUrl: string;
  readonly webhookSecret: string;
}

export interface Token {
  readonly repositories: ReadonlySet<number>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly expiresAt: number;
}

/** One request as it came in, for tests that ask what was done to the forge. */
export interface Entry {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

export interface World {
  readonly people: Map<string, Person>;
  readonly places: Map<string, Place>;
  readonly tokens: Map<string, Token>;
  readonly journal: Entry[];
  app: App | null;
  /** Ids and numbers, never used twice. */
  nextId(): number;
  nextNumber(place: Place): number;
  /** Now, by whole seconds as GitHub tells it, later than any moment given out before. */
  now(): string;
}

/** An empty forge. */
export function createWorld(): World {
  let id = 1_000;
  let last = 0;
  return {
    people: new Map(),
    places: new Map(),
    tokens: new Map(),
    journal: [],
    app: null,
    nextId: () => {
      id += 1;
      return id;
    },
    nextNumber: ({ issues, pulls }) => issues.size + pulls.size + 1,
    now: () => {
      last = Math.max(Math.floor(Date.now() / 1000), last + 1);
      return new Date(last * 1000).toISOString().replace('.000', '');
    },
  };
}

/** Registers the App; its private key is told once. */
export function registerApp(
  world: World,
  {
    slug,
    webhookUrl,
    webhookSecret,
  }: { readonly slug: string; readonly webhookUrl: string; readonly webhookSecret: string },
) {
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const bot: Person = { id: world.nextId(), login: `${slug}[bot]`, kind: 'Bot' };
  world.people.set(bot.login, bot);
  const app = {
    id: world.nextId(),
    slug,
    bot,
    installation: world.nextId(),
    publicKey: keys.publicKey,
    webhookUrl,
    webhookSecret,
  };
  world.app = app;
  return { appId: app.id, installationId: app.installation, privateKey: keys.privateKey };
}

/** A token of the App's installation, good for an hour. */
export function mintToken(
  world: World,
  grant: Omit<Token, 'expiresAt'>,
): { readonly token: string; readonly expiresAt: number } {
  const token = `ghs_${randomBytes(24).toString('hex')}`;
  const expiresAt = Date.now() + 3_600_000;
  world.tokens.set(token, { ...grant, expiresAt });
  return { token, expiresAt };
}
