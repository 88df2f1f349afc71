import { z } from 'zod';
import { type CapsConfig, CapsVariables, toCaps } from './config/caps.ts';
import { type ForgeConfig, ForgeVariables, toForge } from './config/forge.ts';
import { type ModelConfig, ModelVariables, toModel } from './config/model.ts';
import { reportSlips } from './config/names.ts';
import { describeProblems, type Problem, type Report } from './config/problems.ts';
import { type SandboxConfig, SandboxVariables, toSandbox } from './config/sandbox.ts';
import { type ServerConfig, ServerVariables, toServer } from './config/server.ts';
import { passwordsOf } from './config/values.ts';
import { fault } from './errors.ts';

/** The environment's variables, section by section as the documents show them. */
export const SECTIONS = {
  'Server and storage': ServerVariables,
  Forge: ForgeVariables,
  Model: ModelVariables,
  Sandbox: SandboxVariables,
  Caps: CapsVariables,
} as const;

const Environment = z.object({
  ...ServerVariables.shape,
  ...ForgeVariables.shape,
  ...ModelVariables.shape,
  ...SandboxVariables.shape,
  ...CapsVariables.shape,
});
type Values = z.output<typeof Environment>;

/** What a command needs beyond the rest: `serve` the forge; `work` the model and sandboxes, and never a forge credential. */
export type Need = 'forge' | 'model' | 'sandbox';

interface Sections {
  readonly forge: ForgeConfig;
  readonly model: ModelConfig;
  readonly sandbox: SandboxConfig;
}

interface Common extends ServerConfig {
  readonly caps: CapsConfig;
  /** Whether MODEL_BASE_URL is set, for commands that can do without. */
  readonly hasModelEndpoint: boolean;
  /** Every secret among the values, to be registered before anything else is done. */
  readonly secretValues: readonly string[];
  /** What an operator should know though it stops nothing; one sentence each. */
  readonly warnings: readonly string[];
}

/** The configuration with just the sections that were asked for, so that the rest can't be reached at all. */
export type Config<Needed extends Need = never> = Common & Pick<Sections, Needed>;

/**
 * The environment as frozen configuration. Called once, by the composition root. All problems come together in one
 * `config_invalid` fault, by variable name; a secret's value is in none of them. Empty variables count as not set.
 */
export function parseConfig<const Needed extends Need>(
  env: Readonly<Record<string, string | undefined>>,
  needs: readonly Needed[],
): Config<Needed> {
  const problems: Problem[] = [];
  const report: Report = (variable, text) => {
    if (problems.every((problem) => problem.variable !== variable)) problems.push({ variable, text });
  };
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()));
  reportSlips(Object.keys(given), Object.keys(Environment.shape), report);
  const values = readValues(given, report);
  const server = toServer(values, report);
  const sections = toSections(values, needs, { server, report });
  if (problems.length > 0) throw unusable(problems);
  const common: Common = {
    ...server,
    caps: toCaps(values),
    hasModelEndpoint: values.MODEL_BASE_URL !== undefined,
    secretValues: findSecrets(values, sections),
    warnings: findWarnings(values, needs),
  };
  // Each needed section is there or its problems were thrown above; TypeScript can't follow that through a list.
  return deepFreeze({ ...common, ...sections }) as Config<Needed>;
}

/** The values that can be read; the others are reported and left out, so that the problems behind them are found as well. */
function readValues(given: Record<string, string | undefined>, report: Report): Values {
  const parsed = Environment.safeParse(given);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) report(String(issue.path[0]), issue.message);
  const wrong = new Set(parsed.error.issues.map((issue) => String(issue.path[0])));
  return Environment.parse(Object.fromEntries(Object.entries(given).filter(([name]) => !wrong.has(name))));
}

function toSections(
  values: Values,
  needs: readonly Need[],
  { server, report }: { readonly server: ServerConfig; readonly report: Report },
): Partial<Sections> {
  const forge = needs.includes('forge') ? toForge(values, server.plainHttpHosts, report) : null;
  const model = needs.includes('model') ? toModel(values, server.plainHttpHosts, report) : null;
  const sandbox = needs.includes('sandbox') ? toSandbox(values, report) : null;
  return { ...(forge && { forge }), ...(model && { model }), ...(sandbox && { sandbox }) };
}

function findSecrets(values: Values, { forge, model }: Partial<Sections>): readonly string[] {
  const passwords = [values.DATABASE_URL, values.REDIS_URL].flatMap((url) => (url ? passwordsOf(url) : []));
  const own = [forge?.privateKey, forge?.webhookSecret, model?.apiKey].filter((value) => value != null);
  return [...own, ...passwords];
}

/** Whoever touches untrusted code should hold no credential of the forge, not even unread in the environment. */
function findWarnings(values: Values, needs: readonly Need[]): readonly string[] {
  if (needs.includes('forge') || !needs.includes('sandbox')) return [];
  const held = (['GITHUB_PRIVATE_KEY', 'GITHUB_PRIVATE_KEY_FILE', 'WEBHOOK_SECRET'] as const).filter(
    (name) => values[name] !== undefined,
  );
  if (held.length === 0) return [];
  return [
    `This process works on untrusted code and does not need ${held.join(', ')}: take it out of its environment.`,
  ];
}

function unusable(problems: readonly Problem[]) {
  const order = Object.keys(Environment.shape);
  const sorted = problems.toSorted((a, b) => order.indexOf(a.variable) - order.indexOf(b.variable));
  return fault('config_invalid', { detail: describeProblems(sorted) });
}

function deepFreeze<T extends object>(value: T): T {
  for (const each of Object.values(value)) if (typeof each === 'object' && each !== null) deepFreeze(each);
  return Object.freeze(value);
}
