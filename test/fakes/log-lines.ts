import { createLog, type Log } from '../../src/log.ts';
import { createSecrets } from '../../src/secrets.ts';

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** The real logger, writing into an array. */
export function gatherLog(): { readonly log: Log; readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { log: createLog({ level: 'debug', secrets: createSecrets(), destination }), lines };
}
