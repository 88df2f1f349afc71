import { z } from 'zod';
import type { Tool } from '../types.ts';
import { checkArguments, FilePath, isTooLong, WholeNumber } from './arguments.ts';
import { displayPath } from './files/display-path.ts';
import { describeProblem } from './files/file-problem.ts';
import { createLineNumberer, type LineRange } from './files/number-lines.ts';
import { type OpenedFile, openFile, type Sink } from './files/open-file.ts';
import type { InSandbox } from './in-sandbox.ts';

const MAX_CHARS = 20_000;
/** Bytes looked through; lines beyond them are for Bash. */
const MAX_BYTES = 64 * 1024 * 1024;

const Arguments = z.object({ file_path: FilePath, offset: WholeNumber, limit: WholeNumber });

/** Read: the file's name, then its lines with numbers. */
export function createReadTool(sandbox: InSandbox): Tool {
  return {
    name: 'Read',
    async run(args, context) {
      const checked = checkArguments(Arguments, args);
      if ('observation' in checked) return checked.observation;
      const { file_path: path, offset, limit } = checked.value;
      if (isTooLong(path)) return describeProblem('too_long', path);
      const range = { offset: Math.max(1, offset ?? 1), limit: limit ?? 0, maxChars: MAX_CHARS };
      const begin = ({ realPath }: OpenedFile) => numberLines(displayPath(realPath), range);
      const opened = await openFile(sandbox, { path, maxBytes: MAX_BYTES, begin }, context);
      if (opened.kind === 'problem') return opened.observation;
      if (opened.size <= MAX_BYTES) return opened.value;
      return `${opened.value}\n[the first ${MAX_BYTES} of ${opened.size} bytes were looked at; use Bash with head, tail or sed for the rest]`;
    },
  };
}

/** Decodes as Python does: broken bytes replaced, a byte order mark kept. */
function numberLines(first: string, range: LineRange): Sink<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const lines = createLineNumberer(first, range);
  return {
    add: (piece) => lines.add(decoder.decode(piece, { stream: true })),
    end() {
      lines.add(decoder.decode());
      return lines.end();
    },
  };
}
