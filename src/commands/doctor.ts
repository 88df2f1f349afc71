import { toFault } from '../errors.ts';
import { printable } from '../printable.ts';
import { formatDuration, oneLine } from './format.ts';
import { formatTable } from './table.ts';
import type { DoctorOptions, Terminal } from './types.ts';

/** Longest that one part may take to answer. */
const PATIENCE_MS = 15_000;

/** What is looked at, in this order. */
export const PARTS = ['configuration', 'store', 'queue', 'git', 'sandbox', 'forge', 'model'] as const;
export type Part = (typeof PARTS)[number];

/** Looks at one part and says what it saw in one phrase; a part that is not well throws. */
export type Look = (options: { readonly signal: AbortSignal }) => Promise<string>;

export interface Finding {
  readonly part: Part;
  readonly state: 'ok' | 'failed' | 'not_set';
  readonly seen: string;
  readonly durationMs: number;
}

/**
 * `tadpole doctor`: looks at every part, one after the other, and goes on after a failure. A part without a look is not
 * configured. Resolves to 0 when every part is there.
 */
export async function examine(
  looks: Readonly<Record<Part, Look | null>>,
  { json }: DoctorOptions,
  { terminal, signal }: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<number> {
  const findings: Finding[] = [];
  for (const part of PARTS) {
    const finding = await lookAt(part, looks[part], signal);
    findings.push(finding);
    if (json) terminal.out(`${JSON.stringify(finding)}\n`);
  }
  if (!json) terminal.out(describe(findings));
  return findings.every(({ state }) => state === 'ok') ? 0 : 1;
}

async function lookAt(part: Part, look: Look | null, signal: AbortSignal): Promise<Finding> {
  if (!look) return { part, state: 'not_set', seen: 'its variables are not set', durationMs: 0 };
  const begin = performance.now();
  const took = () => Math.round(performance.now() - begin);
  try {
    const seen = await look({ signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]) });
    return { part, state: 'ok', seen, durationMs: took() };
  } catch (thrown) {
    const { code, detail } = toFault(thrown);
    // The configuration's own text lists problems line by line and names itself.
    const seen = code === 'config_invalid' ? detail : `${detail} (${code})`;
    return { part, state: 'failed', seen, durationMs: took() };
  }
}

const MARKS = { ok: 'ok', failed: 'FAILED', not_set: 'not set' } as const;

function describe(findings: readonly Finding[]): string {
  const rows = findings.map(({ part, state, seen, durationMs }) => {
    const time = state === 'not_set' ? '' : formatDuration(durationMs);
    return [part, MARKS[state], time, oneLine(seen.split('\n')[0] ?? '', 200)];
  });
  const more = findings.flatMap(({ seen }) => seen.split('\n').slice(1)).map((line) => printable(line));
  const failed = findings.filter(({ state }) => state === 'failed').map(({ part }) => part);
  const missing = findings.filter(({ state }) => state === 'not_set').map(({ part }) => part);
  return [
    formatTable(rows),
    ...more.map((line) => `${line}\n`),
    failed.length > 0 ? `Failed: ${failed.join(', ')}. docs/errors.md says what the codes mean.\n` : '',
    missing.length > 0 ? `Not set: ${missing.join(', ')}. docs/configuration.md says what they need.\n` : '',
    failed.length + missing.length === 0 ? 'Everything is there.\n' : '',
  ].join('');
}
