import { z } from 'zod';
import { fault } from '../errors.ts';
import { createClient } from './client.ts';
import type { Endpoint } from './endpoint.ts';
import { toFailure } from './failure.ts';
import { RETRY_RULES, withRetries } from './retry.ts';

/** The list is small and needs no generating; a server that can't send it soon is not ready. */
const TIMEOUT_MS = 30_000;

const Listing = z.object({ data: z.array(z.object({ id: z.string() }).nullable().catch(null)) });

/**
 * Whether the endpoint is up and knows the model, asked cheaply (`GET /models`) and as patiently as a completion, so
 * that no sandbox waits for it (case D13). Resolves to the names that it lists; empty where it keeps no list. Throws
 * `model_*` faults.
 */
export async function checkModel(
  endpoint: Endpoint,
  { signal }: { readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const asked = { ...endpoint, timeoutMs: Math.min(TIMEOUT_MS, endpoint.timeoutMs) };
  const client = createClient(asked);
  const answer = await withRetries(() => client.get<unknown>('/models', { signal }), {
    rules: { ...RETRY_RULES, ...endpoint.retry },
    judge: (thrown) => {
      const failure = toFailure(thrown, asked);
      // A time-out here ran no model: asking again can't double anything.
      return failure.fault.code === 'model_unavailable' ? { ...failure, repeat: 'while_patient' } : failure;
    },
    signal,
    log: endpoint.log,
  });
  const listing = Listing.safeParse(answer);
  const names = listing.success ? listing.data.data.flatMap((each) => each?.id ?? []) : [];
  if (names.length === 0 || names.includes(endpoint.name)) return names;
  const known = names.slice(0, 20).join(', ');
  throw fault('model_not_found', {
    detail: `${endpoint.baseUrl} does not have MODEL_NAME "${endpoint.name}"; it lists: ${known}`,
  });
}
