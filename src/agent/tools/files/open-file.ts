import type { ExecResult } from '../../../sandbox/types.ts';
import type { ToolContext } from '../../types.ts';
import type { InSandbox } from '../in-sandbox.ts';
import { createFields } from './fields.ts';
import { describeProblem, type FileProblem, isFileProblem } from './file-problem.ts';
import { CHECK_FILE, EXPAND_PATH, NAME_REASON } from './path-script.ts';

export interface OpenedFile {
  /** Absolute, symlinks resolved. */
  readonly realPath: string;
  readonly size: number;
}

/** A file, or the observation that says why not. */
export type Opened<Value> =
  | ({ readonly kind: 'file' } & Value)
  | { readonly kind: 'problem'; readonly problem: FileProblem | null; readonly observation: string };

const SCRIPT = `${EXPAND_PATH}${NAME_REASON}${CHECK_FILE}
say ok
realpath -z -- "$p"
say "$(stat -L -c %s -- "$p")"
exec head -c "$2" -- "$p"`;

/** Takes a file's bytes as they come, and makes something of them. */
export interface Sink<Value> {
  add(piece: Uint8Array): void;
  end(): Value;
}

export interface OpenRequest<Value> {
  readonly path: string;
  /** Bytes handed over at most. */
  readonly maxBytes: number;
  readonly begin: (file: OpenedFile) => Sink<Value>;
}

/** Streams the beginning of a file out of the sandbox, with flat memory. */
export async function openFile<Value>(
  sandbox: InSandbox,
  { path, maxBytes, begin }: OpenRequest<Value>,
  context: ToolContext,
): Promise<Opened<OpenedFile & { readonly value: Value }>> {
  const fields = createFields(3);
  const found: { file: OpenedFile; sink: Sink<Value> }[] = [];
  const onStdout = (piece: Uint8Array) => {
    const rest = fields.take(piece);
    const [word, realPath, size] = fields.values;
    if (rest === null || word !== 'ok' || realPath === undefined) return;
    if (found.length === 0) {
      const file = { realPath, size: Number(size) };
      found.push({ file, sink: begin(file) });
    }
    found[0]?.sink.add(rest);
  };
  const argv = ['/bin/sh', '-c', SCRIPT, 'sh', path, String(maxBytes)] as const;
  const result = await sandbox.exec({ argv, onStdout }, context);
  const [word = ''] = fields.values;
  if (result.timedOut) return toProblem('time', path);
  if (isFileProblem(word)) return toProblem(word, path);
  const [opened] = found;
  if (opened === undefined || result.exitCode !== 0)
    return { kind: 'problem', problem: null, observation: didNotRun(result) };
  return { kind: 'file', ...opened.file, value: opened.sink.end() };
}

export function toProblem(problem: FileProblem, path: string): Opened<never> {
  return { kind: 'problem', problem, observation: describeProblem(problem, path) };
}

/** For a script that ended strangely: the model may have filled the disk or the memory, and can mend that. */
export function didNotRun({ exitCode, signal, stderr }: ExecResult): string {
  const said = new TextDecoder()
    .decode(stderr.tail.length > 0 ? stderr.tail : stderr.head)
    .trim()
    .slice(-300);
  const ending = signal === null ? `exit code ${exitCode}` : `signal ${signal}`;
  return `OSError: the file could not be handled (${ending})${said === '' ? '' : `: ${said}`}`;
}

/** Reads the beginning of a file whole. */
export function readHead(
  sandbox: InSandbox,
  { path, maxBytes }: Pick<OpenRequest<unknown>, 'path' | 'maxBytes'>,
  context: ToolContext,
): Promise<Opened<OpenedFile & { readonly value: Buffer }>> {
  const begin = () => {
    const pieces: Uint8Array[] = [];
    return {
      add: (piece: Uint8Array) => void pieces.push(Uint8Array.from(piece)),
      end: () => Buffer.concat(pieces),
    };
  };
  return openFile(sandbox, { path, maxBytes, begin }, context);
}
