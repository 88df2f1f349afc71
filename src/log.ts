import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { Fault } from './errors.ts';
import type { Secrets } from './secrets.ts';

/** The logger that is passed down as the parameter `log`. Messages are constant lower-case phrases; data goes in fields. */
export type Log = Logger;

export interface LogOptions {
  readonly level: string;
  readonly secrets: Secrets;
  /** Where lines go; standard error unless given, since standard output belongs to the commands. */
  readonly destination?: DestinationStream;
}

/** Paths that hold credentials in the objects we log, whatever their value. */
const REDACTED_PATHS = ['authorization', 'token', 'password', 'secret', 'apiKey', 'privateKey'].flatMap(
  (key) => [key, `*.${key}`, `*.*.${key}`],
);

function serializeError(err: unknown): unknown {
  if (!(err instanceof Error)) return err;
  const cause = err.cause === undefined ? {} : { cause: serializeError(err.cause) };
  const code = err instanceof Fault ? { code: err.code, retryable: err.retryable } : {};
  return { type: err.name, message: err.message, stack: err.stack, ...code, ...cause };
}

/** The root logger: JSON lines, three nets for secrets (paths, registered values in any string, own error serializer). */
export function createLog({ level, secrets, destination = pino.destination(2) }: LogOptions): Log {
  const redacting: DestinationStream = { write: (line) => destination.write(secrets.redact(line)) };
  return pino(
    {
      level,
      timestamp: stdTimeFunctions.isoTime,
      base: {},
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: REDACTED_PATHS, censor: '[secret]' },
      serializers: { err: serializeError },
    },
    redacting,
  );
}
