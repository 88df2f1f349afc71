import { posix } from 'node:path';
import type { ToolContext } from '../../types.ts';
import type { InSandbox } from '../in-sandbox.ts';
import { EXPAND_PATH } from './path-script.ts';

const SAMPLE_BYTES = 16 * 1024;

/** Arguments: path, ending of its name, bytes. The first regular file beside it with that ending. */
const SCRIPT = `${EXPAND_PATH}
for f in "\${p%/*}"/*"$2"; do
  if [ -f "$f" ] && [ -s "$f" ]; then exec head -c "$3" -- "$f"; fi
done`;

/**
 * The beginning of a file of the same kind in the same folder, whose line breaks a new file should have; null without
 * one.
 */
export async function readNeighbour(
  sandbox: InSandbox,
  path: string,
  context: ToolContext,
): Promise<Buffer | null> {
  const ending = posix.extname(path);
  if (ending === '') return null;
  const argv = ['/bin/sh', '-c', SCRIPT, 'sh', path, ending, String(SAMPLE_BYTES)] as const;
  const keep = { headBytes: SAMPLE_BYTES, tailBytes: 0 };
  const { stdout } = await sandbox.exec({ argv, keep }, context);
  return stdout.head.length > 0 ? Buffer.from(stdout.head) : null;
}
