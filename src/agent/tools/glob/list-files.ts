import type { ToolContext } from '../../types.ts';
import { EXPAND_PATH } from '../files/path-script.ts';
import type { InSandbox } from '../in-sandbox.ts';
import type { GlobPattern } from './pattern.ts';

/** Listing that is read at most: far above a million names (case E18). */
const MAX_BYTES = 128 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

/**
 * Arguments: root, bytes at most, then find's own. `find -L` follows links as Python does, and unlike it leaves a
 * cycle at once. Entries: `F` and a file's path below the root, `L` and the path of a link, which comes before what
 * is below it.
 */
const SCRIPT = `${EXPAND_PATH}
[ -d "$p" ] || exit 0
realpath -z -- "$p"
most=$2
shift 2
find -L "$p" "$@" \\( -xtype l -printf 'L%P\\0' , -type f -printf 'F%P\\0' \\) 2>/dev/null | head -c "$most"`;

export interface ListedFile {
  /** Below the root. */
  readonly path: string;
  /** Whether a symlink lies on the way from the root to it. */
  readonly viaLink: boolean;
}

/** How the listing went. `root`: real path, null when there is no such folder. */
export interface Listed {
  readonly root: string | null;
  readonly complete: boolean;
}

/** Lists files below the pattern's root piece by piece, hidden folders left out unless they are asked for. */
export async function listFiles(
  sandbox: InSandbox,
  { root, depth, wantsHidden }: GlobPattern,
  { context, onFile }: { readonly context: ToolContext; readonly onFile: (file: ListedFile) => void },
): Promise<Listed> {
  const rules = ['-mindepth', '1', ...(depth === null ? [] : ['-maxdepth', String(depth)])];
  const pruned = wantsHidden ? [] : ['-name', '.*', '-prune', '-o'];
  const links = new Set<string>();
  let realRoot: string | null = null;
  let bytes = 0;
  const take = (entry: string) => {
    if (realRoot === null) realRoot = entry;
    else if (entry.startsWith('L')) links.add(entry.slice(1));
    else if (entry.startsWith('F'))
      onFile({ path: entry.slice(1), viaLink: links.size > 0 && hasLink(entry.slice(1), links) });
  };
  const splitter = createSplitter(take);
  const argv = ['/bin/sh', '-c', SCRIPT, 'sh', root, String(MAX_BYTES), ...rules, ...pruned] as const;
  const onStdout = (piece: Uint8Array) => {
    bytes += piece.length;
    splitter(piece);
  };
  const { timedOut } = await sandbox.exec({ argv, onStdout, timeoutMs: TIMEOUT_MS }, context);
  return { root: realRoot, complete: !timedOut && bytes < MAX_BYTES };
}

function hasLink(path: string, links: ReadonlySet<string>): boolean {
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1))
    if (links.has(path.slice(0, end))) return true;
  return links.has(path);
}

/** Whole NUL-ended entries; what is left of a piece waits for the next. */
function createSplitter(take: (entry: string) => void): (piece: Uint8Array) => void {
  let rest = Buffer.alloc(0);
  return (piece) => {
    const whole = Buffer.concat([rest, piece]);
    const end = whole.lastIndexOf(0);
    rest = Buffer.from(whole.subarray(end + 1));
    if (end < 0) return;
    for (const entry of whole.toString('utf8', 0, end).split('\0')) take(entry);
  };
}
