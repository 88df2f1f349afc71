import { resolve } from 'node:path';
import { z } from 'zod';

/**
 * Readers of single values. Each message completes the sentence "NAME …" and says what was expected; it may quote the value
 * only where the value is no secret.
 */

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);
const HOST = /^(?:\[[0-9a-f:]+\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::\d{1,5})?$/i;

/** A whole number from `min` to `max`, written in digits alone. */
export function whole(min: number, max: number) {
  const expected = `should be a whole number from ${min} to ${max}`;
  return z.string().transform((text, context) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    return refuse(context, `"${text}" ${expected}`);
  });
}

/** One of a closed set of words. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, { error: ({ input }) => `"${String(input)}" should be ${words.join(' or ')}` });
}

/** Text between non-blank ends. */
export const word = z.string().regex(/^\S+$/, 'should be one word without spaces');

/** A path, made absolute against the folder that the program was started in. */
export const path = z.string().transform((text) => resolve(text));

/** A host, perhaps with a port; never a URL. */
export const host = z.string().transform((text, context) => {
  if (HOST.test(text)) return text.toLowerCase();
  // Somebody who pasted an address with credentials must not find them in the log.
  if (text.includes('@')) return refuse(context, 'should be a host, as in git.example.com');
  const found = /^[a-z]+:\/\/([^/]+)/i.exec(text)?.[1];
  const example = found && HOST.test(found) ? found : 'git.example.com';
  return refuse(context, `"${text}" should be a host, as in ${example}`);
});

/** Items between commas, blanks around them dropped, none empty. */
export function listOf<Item extends z.ZodType<unknown, string>>(item: Item) {
  return z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean),
    )
    .pipe(z.array(item));
}

/** An http or https address without credentials, query or fragment; no slash at its end. */
export const address = z.string().transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol)) {
    return refuse(context, 'should be an http or https address, as in https://models.example.com/v1');
  }
  if (url.username || url.password) return refuse(context, 'must not hold a user name or password');
  if (url.search || url.hash) return refuse(context, 'must not have a query or a fragment');
  return url.href.replace(/\/+$/, '');
});

/** A connection address with one of these schemes. It may hold a password, so no message quotes it. */
export function connection(schemes: readonly [string, ...string[]]) {
  const isRight = (text: string) =>
    URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1));
  return z.string().refine(isRight, `should be an address as in ${schemes[0]}://host:port`);
}

/** The password in a connection address, as it stands there and decoded; empty when there is none. */
export function passwordsOf(url: string): readonly string[] {
  const { password } = new URL(url);
  if (password === '') return [];
  // A stray percent sign can't be decoded; then the raw form is what clients use as well.
  const decoded = /%(?![0-9a-f]{2})/i.test(password) ? password : decodeURIComponent(password);
  return [...new Set([password, decoded])];
}

export interface ReadOnlyPath {
  /** Path on this machine. */
  readonly host: string;
  /** Path inside the sandbox. */
  readonly inside: string;
}

/** `HOST_PATH` or `HOST_PATH:INSIDE_PATH`, both absolute. */
export const readOnlyPath = z.string().transform((text, context): ReadOnlyPath => {
  const [hostPath, inside = hostPath, ...rest] = text.split(':');
  if (hostPath?.startsWith('/') && inside?.startsWith('/') && rest.length === 0)
    return { host: hostPath, inside };
  return refuse(context, `"${text}" should be an absolute path, or two with a colon between them`);
});

/** Whether plain http to this address is loopback or was allowed by name. */
export function mayBePlain(url: URL, plainHttpHosts: readonly string[]): boolean {
  if (LOOPBACK.has(url.hostname)) return true;
  return plainHttpHosts.includes(url.host) || plainHttpHosts.includes(url.hostname);
}

function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue(message);
  return z.NEVER;
}
