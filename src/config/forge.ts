import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { type Report, readSecret } from './problems.ts';
import { host, path, whole } from './values.ts';
import { optional, secret, withDefault } from './variable.ts';

/** How the forge side reaches the forge, and as whom. */
export interface ForgeConfig {
  /** Host, perhaps with a port. */
  readonly host: string;
  /** Scheme and host of everything on this forge, such as `https://git.example.com`; no slash at its end. */
  readonly baseUrl: string;
  readonly appId: number;
  /** RSA key in PEM form. */
  readonly privateKey: string;
  readonly webhookSecret: string;
}

const MIN_SECRET_BYTES = 32;
/** Fewer different characters than this is a placeholder, not a secret. */
const MIN_DISTINCT = 8;
const KNOWN_DEFAULTS = /development|change[-_ ]?me|replace[-_ ]?me|example|your[-_ ]?secret|placeholder/i;

export const ForgeVariables = z.object({
  GITHUB_HOST: withDefault(
    host,
    'github.com',
    'Host of GitHub or of the GitHub Enterprise Server, without a scheme',
  ),
  GITHUB_APP_ID: optional(
    whole(1, 1e12),
    "Number of the GitHub App (its settings page shows it as 'App ID')",
  ),
  GITHUB_PRIVATE_KEY: secret(
    z.string(),
    "The App's private key in PEM form; line ends may be written as \\n",
  ),
  GITHUB_PRIVATE_KEY_FILE: optional(path, "File with the App's private key, instead of GITHUB_PRIVATE_KEY"),
  WEBHOOK_SECRET: secret(z.string(), "The App's webhook secret, at least 32 bytes: openssl rand -hex 32"),
});
type ForgeValues = z.output<typeof ForgeVariables>;

/** The forge's section; null after reporting what is wrong or missing. */
export function toForge(
  values: ForgeValues,
  plainHttpHosts: readonly string[],
  report: Report,
): ForgeConfig | null {
  const appId = values.GITHUB_APP_ID;
  if (appId === undefined) report('GITHUB_APP_ID', "is not set. The App's settings page shows the number");
  const privateKey = readPrivateKey(values, report);
  const webhookSecret = readWebhookSecret(values.WEBHOOK_SECRET, report);
  if (appId === undefined || privateKey === null || webhookSecret === null) return null;
  const forgeHost = values.GITHUB_HOST;
  const plain = [forgeHost, forgeHost.replace(/:\d+$/, '')].some((each) => plainHttpHosts.includes(each));
  const baseUrl = `${plain ? 'http' : 'https'}://${forgeHost}`;
  return { host: forgeHost, baseUrl, appId, privateKey, webhookSecret };
}

function readPrivateKey(values: ForgeValues, report: Report): string | null {
  const { GITHUB_PRIVATE_KEY: value, GITHUB_PRIVATE_KEY_FILE: file } = values;
  const variable =
    value === undefined && file !== undefined ? 'GITHUB_PRIVATE_KEY_FILE' : 'GITHUB_PRIVATE_KEY';
  if (value === undefined && file === undefined) {
    report(
      variable,
      'is not set, nor is GITHUB_PRIVATE_KEY_FILE. Generate a key on the settings page of the App',
    );
    return null;
  }
  // Environment files and secret stores often carry a key on one line.
  const text = readSecret({ name: 'GITHUB_PRIVATE_KEY', value, file }, report)?.replaceAll('\\n', '\n');
  if (text === undefined) return null;
  if (isRsaKey(text)) return text;
  report(variable, 'is not an RSA private key in PEM form (-----BEGIN RSA PRIVATE KEY-----)');
  return null;
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

function readWebhookSecret(value: string | undefined, report: Report): string | null {
  const problem = findSecretProblem(value);
  if (!problem) return value ?? null;
  report('WEBHOOK_SECRET', `${problem}. Make one: openssl rand -hex 32`);
  return null;
}

function findSecretProblem(value: string | undefined): string | null {
  if (value === undefined) return 'is not set';
  if (Buffer.byteLength(value, 'utf8') < MIN_SECRET_BYTES) return `is shorter than ${MIN_SECRET_BYTES} bytes`;
  if (KNOWN_DEFAULTS.test(value) || new Set(value).size < MIN_DISTINCT)
    return 'is a placeholder, not a secret';
  return null;
}
