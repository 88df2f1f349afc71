import { z } from 'zod';
import { type Report, readSecret } from './problems.ts';
import { address, mayBePlain, path, whole, word } from './values.ts';
import { optional, secret, withDefault } from './variable.ts';

/** How the sandbox side reaches the model. */
export interface ModelConfig {
  /** OpenAI-compatible endpoint up to and with its version, such as `https://models.example.com/v1`. */
  readonly baseUrl: string;
  readonly name: string;
  readonly apiKey: string | null;
  /** Name of the profile: prompt, sampling, limits. */
  readonly profile: string;
  /** One request, ms. */
  readonly timeoutMs: number;
  /** Null = the profile's. */
  readonly contextTokens: number | null;
  /** Tokens that one turn may generate; null = the profile's. */
  readonly turnTokens: number | null;
}

export const ModelVariables = z.object({
  MODEL_BASE_URL: optional(address, 'OpenAI-compatible endpoint, as in https://models.example.com/v1'),
  MODEL_NAME: optional(word, 'Name of the model at that endpoint'),
  MODEL_API_KEY: secret(z.string(), 'Key for the endpoint, where it wants one'),
  MODEL_API_KEY_FILE: optional(path, 'File with that key, instead of MODEL_API_KEY'),
  MODEL_PROFILE: withDefault(word, 'frognano', 'Prompt, sampling and limits that go with the model'),
  MODEL_TIMEOUT_SECONDS: withDefault(whole(1, 86_400), '7200', 'Longest wait for one answer'),
  MODEL_CONTEXT_TOKENS: optional(
    whole(1_024, 4_194_304),
    "Context window, where it is smaller than the profile's 131072",
  ),
  MODEL_TURN_TOKENS: optional(
    whole(16, 1_048_576),
    "Tokens that one turn may generate, where it is not the profile's 8192",
  ),
});

/** The model's section; null after reporting what is wrong or missing. */
export function toModel(
  values: z.output<typeof ModelVariables>,
  plainHttpHosts: readonly string[],
  report: Report,
): ModelConfig | null {
  const { MODEL_BASE_URL: baseUrl, MODEL_NAME: name } = values;
  if (baseUrl === undefined)
    report('MODEL_BASE_URL', 'is not set. It is the endpoint, as in https://models.example.com/v1');
  else reportPlain(baseUrl, plainHttpHosts, report);
  if (name === undefined)
    report('MODEL_NAME', "is not set. The endpoint's /models lists the names that it knows");
  const apiKey = readSecret(
    { name: 'MODEL_API_KEY', value: values.MODEL_API_KEY, file: values.MODEL_API_KEY_FILE },
    report,
  );
  if (baseUrl === undefined || name === undefined) return null;
  return {
    baseUrl,
    name,
    apiKey,
    profile: values.MODEL_PROFILE,
    timeoutMs: values.MODEL_TIMEOUT_SECONDS * 1000,
    contextTokens: values.MODEL_CONTEXT_TOKENS ?? null,
    turnTokens: values.MODEL_TURN_TOKENS ?? null,
  };
}

/** Prompts are source code: they cross a network in clear only where somebody said so. */
function reportPlain(baseUrl: string, plainHttpHosts: readonly string[], report: Report): void {
  const url = new URL(baseUrl);
  if (url.protocol === 'https:' || mayBePlain(url, plainHttpHosts)) return;
  report('MODEL_BASE_URL', `speaks plain http. Use https, or allow it: TADPOLE_HTTP_HOSTS=${url.host}`);
}
