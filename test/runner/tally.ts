import { inspect } from 'node:util';

/** What of node's own events the runner looks at. */
export interface TestEvent {
  readonly type: string;
  readonly data: {
    readonly name?: string;
    readonly file?: string;
    readonly message?: string;
    readonly classname?: string;
    readonly skip?: string | boolean;
    readonly todo?: string | boolean;
    readonly details?: { readonly type?: string; readonly error?: unknown };
  };
}

export interface Failure {
  readonly file: string;
  readonly name: string;
  /** Whole: message, difference, stack and causes. */
  readonly text: string;
}

export interface Tally {
  passed: number;
  readonly failures: Failure[];
  readonly skipped: { readonly file: string; readonly name: string; readonly reason: string }[];
  /** What each file printed; shown for files that failed. */
  readonly output: Map<string, string>;
}

export function createTally(): Tally {
  return { passed: 0, failures: [], skipped: [], output: new Map() };
}

/**
 * Counts one event. Suites and parents that failed only because of what is in them are not counted again; a file that
 * has no test in it at all is a failure, or a slip in a name would look like success.
 */
export function count(tally: Tally, { type, data }: TestEvent): void {
  const { file = 'unknown file' } = data;
  if (type === 'test:stdout' || type === 'test:stderr' || type === 'test:diagnostic') {
    if (data.file)
      tally.output.set(file, `${tally.output.get(file) ?? ''}${withNewline(data.message ?? '')}`);
  } else if (type === 'test:pass') countPass(tally, data);
  else if (type === 'test:fail' && !failedByContent(data)) {
    tally.failures.push({ file, name: nameOf(data), text: inspectError(data.details?.error) });
  }
}

function countPass(tally: Tally, data: TestEvent['data']): void {
  const { file = 'unknown file', skip, todo } = data;
  const reason = skip ?? todo;
  if (reason !== undefined && reason !== false) {
    const said = typeof reason === 'string' && reason !== '' ? reason : 'no reason given';
    tally.skipped.push({ file, name: nameOf(data), reason: said });
  } else if (data.name === data.file) {
    tally.failures.push({ file, name: 'the file', text: 'has no tests in it' });
  } else if (data.details?.type !== 'suite') tally.passed += 1;
}

function nameOf({ name = '', classname, file }: TestEvent['data']): string {
  if (name === file) return 'the file';
  return classname ? `${classname} › ${name}` : name;
}

function failedByContent({ details }: TestEvent['data']): boolean {
  const error = details?.error;
  return error instanceof Error && 'failureType' in error && error.failureType === 'subtestsFailed';
}

/** Node wraps what was thrown; the wrapper says nothing that its cause does not. */
function inspectError(error: unknown): string {
  const thrown = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return typeof thrown === 'string' ? thrown : inspect(thrown, { depth: 6, maxStringLength: null });
}

function withNewline(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** Counts a whole stream of node's events, which carry more than is looked at here. */
export async function countAll(tally: Tally, stream: AsyncIterable<unknown>): Promise<void> {
  for await (const event of stream) count(tally, event as TestEvent);
}
