import OpenAI from 'openai';
import { createBoundedFetch } from './bounded-fetch.ts';
import type { Endpoint } from './endpoint.ts';

/**
 * The SDK's client without what it would take from the environment, and without its own retries, log and default
 * time-out.
 */
export function createClient(endpoint: Endpoint): OpenAI {
  const withoutKey = endpoint.apiKey === null;
  return new OpenAI({
    baseURL: endpoint.baseUrl,
    // The SDK insists on a key; the header that it would make of this one is taken out again.
    apiKey: endpoint.apiKey ?? 'none',
    defaultHeaders: withoutKey ? { Authorization: null } : {},
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    timeout: endpoint.timeoutMs,
    maxRetries: 0,
    logLevel: 'off',
    fetch: createBoundedFetch(endpoint),
  });
}
