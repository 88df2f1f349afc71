import type { Isolation } from '../../types.ts';
import type { Machine } from '../cell.ts';
import type { RunOwnCall } from '../transfer.ts';

export async function probeIsolation(
  _run: RunOwnCall,
  _machine: Machine,
  _options: { readonly signal: AbortSignal },
): Promise<Isolation> {
  return { isolated: false, findings: [] };
}
