import { z } from 'zod';
import type { Tool, ToolContext } from '../types.ts';
import { checkArguments, isTooLong, Text } from './arguments.ts';
import { displayPath } from './files/display-path.ts';
import { describeProblem } from './files/file-problem.ts';
import { byCodePoint, keepFirst } from './glob/keep-first.ts';
import { type ListedFile, listFiles } from './glob/list-files.ts';
import { matchesPath, parseGlob } from './glob/pattern.ts';
import type { InSandbox } from './in-sandbox.ts';

const MAX_SHOWN = 1000;
const NONE = 'No files matched.';
const INCOMPLETE = '[stopped early: there are too many files; use a narrower pattern]';

const Place = Text.refine((text) => !text.includes('\0'), 'must not contain a null byte');
const Arguments = z.object({
  pattern: Place.refine((pattern) => pattern !== '', 'must be non-empty'),
  path: Place.nullish(),
});

/** Glob: files by name, sorted. */
export function createGlobTool(sandbox: InSandbox): Tool {
  return {
    name: 'Glob',
    async run(args, context) {
      const checked = checkArguments(Arguments, args);
      if ('observation' in checked) return checked.observation;
      const { pattern, path } = checked.value;
      const base = path || '.';
      if (isTooLong(`${base}/${pattern}`)) return describeProblem('too_long', pattern);
      const glob = parseGlob(pattern, base);
      if (glob === null) return NONE;
      const found = keepFirst<ListedFile>(MAX_SHOWN, (a, b) => byCodePoint(a.path, b.path));
      const onFile = (file: ListedFile) => {
        if (matchesPath(glob, file.path)) found.add(file);
      };
      const { root, complete } = await listFiles(sandbox, glob, { context, onFile });
      const paths =
        root === null ? [] : await toDisplayPaths(sandbox, { root, files: found.sorted() }, context);
      const more = found.count > MAX_SHOWN ? [`... ${found.count - MAX_SHOWN} more files`] : [];
      const lines = [...(paths.length > 0 ? paths : [NONE]), ...more, ...(complete ? [] : [INCOMPLETE])];
      return lines.join('\n');
    },
  };
}

/** Real paths, sorted, each once. Only what was found through a link has to be asked for. */
async function toDisplayPaths(
  sandbox: InSandbox,
  { root, files }: { readonly root: string; readonly files: readonly ListedFile[] },
  context: ToolContext,
): Promise<readonly string[]> {
  const prefix = root === '/' ? '/' : `${root}/`;
  const direct = files.filter((file) => !file.viaLink).map((file) => prefix + file.path);
  const linked = files.filter((file) => file.viaLink).map((file) => `${prefix}${file.path}\0`);
  const resolved = linked.length === 0 ? [] : await resolveAll(sandbox, linked.join(''), context);
  const shown = new Set([...direct, ...resolved].map(displayPath));
  return [...shown].sort(byCodePoint);
}

async function resolveAll(
  sandbox: InSandbox,
  list: string,
  context: ToolContext,
): Promise<readonly string[]> {
  const keep = { headBytes: 8 * 1024 * 1024, tailBytes: 0 };
  const argv = ['xargs', '-0', 'realpath', '-z', '--'] as const;
  const { stdout } = await sandbox.exec({ argv, stdin: Buffer.from(list), keep }, context);
  return Buffer.from(stdout.head).toString('utf8').split('\0').slice(0, -1);
}
