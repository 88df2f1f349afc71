import type { ToolDescription } from '../types.ts';

type Properties = Readonly<Record<string, { readonly type: string; readonly description: string }>>;

/** A tool's schema as Leaf has it: neither `additionalProperties` nor `strict`. */
function describe(
  name: string,
  description: string,
  { required, properties }: { readonly required: readonly string[]; readonly properties: Properties },
): ToolDescription {
  const parameters = { type: 'object', properties, required };
  return { type: 'function', function: { name, description, parameters } };
}

const FILE_PATH = {
  type: 'string',
  description: 'The file, relative to the working directory or absolute.',
};

/** Names and parameters are Leaf's interface, which the model was trained on; the words are ours. */
export const TOOL_DESCRIPTIONS: readonly ToolDescription[] = [
  describe(
    'Read',
    'Shows a text file with its lines numbered. Long files are cut: use offset and limit to see a part.',
    {
      required: ['file_path'],
      properties: {
        file_path: FILE_PATH,
        offset: { type: 'integer', description: 'Number of the first line to show, counted from 1.' },
        limit: { type: 'integer', description: 'How many lines to show at most.' },
      },
    },
  ),
  describe(
    'Write',
    'Makes a file, or replaces the whole content of one. Folders are made as needed. To change a part, use Edit.',
    {
      required: ['file_path', 'content'],
      properties: {
        file_path: FILE_PATH,
        content: { type: 'string', description: 'All that the file is to hold.' },
      },
    },
  ),
  describe(
    'Edit',
    'Replaces text in a file. The old text must be exactly as in the file, indentation and line breaks included, without the line numbers that Read shows, and must occur once unless replace_all is set.',
    {
      required: ['file_path', 'old_string', 'new_string'],
      properties: {
        file_path: FILE_PATH,
        old_string: { type: 'string', description: 'The text to replace.' },
        new_string: { type: 'string', description: 'What takes its place.' },
        replace_all: { type: 'boolean', description: 'Replace every occurrence instead of the only one.' },
      },
    },
  ),
  describe(
    'Glob',
    'Finds files by name. `*` and `?` stand for characters within a name, `**` for any folders; hidden names are found only when the pattern names them.',
    {
      required: ['pattern'],
      properties: {
        pattern: { type: 'string', description: 'Such as src/**/*.py.' },
        path: { type: 'string', description: 'The folder to look in; the working directory unless given.' },
      },
    },
  ),
  describe(
    'Bash',
    'Runs a command with bash in the working directory, and shows its exit code and what it printed. It gets no input.',
    {
      required: ['command'],
      properties: {
        command: { type: 'string', description: 'The command line or script.' },
        description: { type: 'string', description: 'What it is for, in a few words.' },
        timeout: { type: 'number', description: 'Seconds after which it is ended; 120 unless given.' },
      },
    },
  ),
];
