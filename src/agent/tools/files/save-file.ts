import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { fault } from '../../../errors.ts';
import type { ToolContext } from '../../types.ts';
import type { InSandbox } from '../in-sandbox.ts';
import { createFields } from './fields.ts';
import { isFileProblem } from './file-problem.ts';
import { didNotRun, type Opened, type OpenedFile, toProblem } from './open-file.ts';
import { EXPAND_PATH, NAME_REASON } from './path-script.ts';

/**
 * Arguments: path, length, SHA-256. The content waits in a temporary file until it is known to be whole (case A06),
 * and is then written into the target itself, so that mode, links and owner stay. A disk that is full half-way is
 * told as such.
 */
const SCRIPT = `${EXPAND_PATH}${NAME_REASON}
export LC_ALL=C
t=$(mktemp) || fail no_space
trap 'rm -f -- "$t"' EXIT
cat > "$t" || fail no_space
[ "$(stat -c %s -- "$t")" = "$2" ] || fail damaged
sum=$(sha256sum < "$t")
[ "\${sum%% *}" = "$3" ] || fail damaged
if [ -d "$p" ]; then fail directory; fi
dir=\${p%/*}
if ! [ -d "\${dir:-/}" ]; then
  why=$(mkdir -p -- "$dir" 2>&1) || fail "$(reason "$why")"
fi
[ ! -e "$p" ] || [ -f "$p" ] || fail special
why=$( { cat < "$t" > "$p"; } 2>&1 ) || { [ $? -ne 153 ] || fail too_large; fail "$(reason "$why" denied)"; }
say ok
realpath -z -- "$p"`;

/**
 * Writes a file inside the sandbox; length and hash are checked there. A damaged transfer is a fault, all else an
 * observation.
 */
export async function saveFile(
  sandbox: InSandbox,
  { path, bytes }: { readonly path: string; readonly bytes: Uint8Array },
  context: ToolContext,
): Promise<Opened<Pick<OpenedFile, 'realPath'>>> {
  const fields = createFields(2);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const result = await sandbox.exec(
    {
      argv: ['/bin/sh', '-c', SCRIPT, 'sh', path, String(bytes.length), sha256],
      stdin: bytes,
      onStdout: (piece) => void fields.take(piece),
    },
    context,
  );
  const [word = '', realPath] = fields.values;
  if (word === 'damaged')
    throw fault('sandbox_transfer_failed', {
      detail: 'a file that a tool wrote arrived with another length or SHA-256',
    });
  if (result.timedOut) return toProblem('time', path);
  // What exists is the parent, as something else than a folder.
  if (isFileProblem(word)) return toProblem(word, word === 'exists' ? posix.dirname(path) : path);
  if (word !== 'ok' || realPath === undefined || result.exitCode !== 0)
    return { kind: 'problem', problem: null, observation: didNotRun(result) };
  return { kind: 'file', realPath };
}
