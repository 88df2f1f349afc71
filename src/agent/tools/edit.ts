import { z } from 'zod';
import type { Tool } from '../types.ts';
import { checkArguments, FilePath, Flag, isTooLong, Text } from './arguments.ts';
import { editBytes } from './edit/edit-bytes.ts';
import { displayPath } from './files/display-path.ts';
import { describeProblem } from './files/file-problem.ts';
import { readHead } from './files/open-file.ts';
import { saveFile } from './files/save-file.ts';
import type { InSandbox } from './in-sandbox.ts';
import { warnAboutFragment } from './suspicions.ts';

/** Files over this are for Bash. */
const MAX_BYTES = 16 * 1024 * 1024;

const Arguments = z.object({ file_path: FilePath, old_string: Text, new_string: Text, replace_all: Flag });

/** Edit: replaces text, byte for byte. */
export function createEditTool(sandbox: InSandbox): Tool {
  return {
    name: 'Edit',
    async run(args, context) {
      const checked = checkArguments(Arguments, args);
      if ('observation' in checked) return checked.observation;
      const { file_path: path, old_string: oldText, new_string: newText, replace_all: all } = checked.value;
      if (isTooLong(path)) return describeProblem('too_long', path);
      const opened = await readHead(sandbox, { path, maxBytes: MAX_BYTES }, context);
      if (opened.kind === 'problem') return opened.observation;
      if (opened.size > MAX_BYTES)
        return `ValueError: the file has ${opened.size} bytes; Edit takes up to ${MAX_BYTES}. Use Bash.`;
      const edited = editBytes(opened.value, { oldText, newText, scope: all ? 'all' : 'one' });
      if (edited.kind === 'refused') return `ValueError: ${edited.reason}`;
      const saved = await saveFile(sandbox, { path, bytes: edited.bytes }, context);
      if (saved.kind === 'problem') return saved.observation;
      const count = `${edited.count} ${edited.count === 1 ? 'replacement' : 'replacements'}`;
      const warning = warnAboutFragment('new_string', newText);
      return [`Edited ${displayPath(saved.realPath)} (${count}).`, edited.note, warning]
        .filter(Boolean)
        .join('\n');
    },
  };
}
