import { z } from 'zod';
import type { Tool, ToolContext } from '../types.ts';
import { checkArguments, FilePath, isTooLong, Text } from './arguments.ts';
import { displayPath } from './files/display-path.ts';
import { describeProblem } from './files/file-problem.ts';
import { readNeighbour } from './files/neighbour.ts';
import { readHead } from './files/open-file.ts';
import { saveFile } from './files/save-file.ts';
import { fitContent } from './fit-content.ts';
import type { InSandbox } from './in-sandbox.ts';
import { countChars } from './python-text.ts';
import { warnAboutFragment, warnAboutShrink } from './suspicions.ts';

/** What is looked at of the file that is replaced. */
const MAX_BYTES = 4 * 1024 * 1024;

const Arguments = z.object({ file_path: FilePath, content: Text });

/** Write: a whole file, in the line endings that it had. */
export function createWriteTool(sandbox: InSandbox): Tool {
  return {
    name: 'Write',
    async run(args, context) {
      const checked = checkArguments(Arguments, args);
      if ('observation' in checked) return checked.observation;
      const { file_path: path, content } = checked.value;
      if (isTooLong(path)) return describeProblem('too_long', path);
      const before = await readBefore(sandbox, path, context);
      if (typeof before === 'string') return before;
      const bytes = fitContent(content, before);
      const saved = await saveFile(sandbox, { path, bytes }, context);
      if (saved.kind === 'problem') return saved.observation;
      const warnings = [
        warnAboutFragment('content', content),
        warnAboutShrink(countLines(before.old), countLines(bytes)),
      ];
      const done = `Wrote ${displayPath(saved.realPath)} (${countChars(content)} bytes).`;
      return [done, ...warnings].filter(Boolean).join('\n');
    },
  };
}

function countLines(bytes: Buffer | null): number {
  return bytes === null ? 0 : bytes.toString('latin1').split('\n').length - 1;
}

/** What stands there now, or what stands beside it; an observation when it can't be written anyway. */
async function readBefore(
  sandbox: InSandbox,
  path: string,
  context: ToolContext,
): Promise<{ readonly old: Buffer | null; readonly neighbour: Buffer | null } | string> {
  const opened = await readHead(sandbox, { path, maxBytes: MAX_BYTES }, context);
  if (opened.kind === 'file') return { old: opened.value, neighbour: null };
  if (opened.problem === 'missing')
    return { old: null, neighbour: await readNeighbour(sandbox, path, context) };
  // A file that may be written but not read is rare, and so is a parent that is no folder: the writing itself tells.
  if (opened.problem === 'denied' || opened.problem === 'not_directory')
    return { old: null, neighbour: null };
  return opened.observation;
}
