import { createHash, randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import { fault } from '../../errors.ts';
import type { ExecCall, ExecResult, GetOptions, PutOptions } from '../types.ts';

/** Runs a call of our own; ids are not needed. */
export type RunOwnCall = (
  call: Omit<ExecCall, 'id'>,
  options: { readonly signal: AbortSignal },
) => Promise<ExecResult>;

const TRANSFER_TIMEOUT_MS = 30 * 60_000;
const DEFAULT_MODE = 0o644;
const MISSING_EXIT_CODE = 44;

/** SHA-256 in hex and the length in 16 digits follow the content: the length of a stream is known only at its end. */
export const TRAILER_BYTES = 80;

/**
 * Arguments: path, parent, temporary file, mode. Everything goes in a new file beside the target (`set -C`: never through a
 * link that waits there), which is checked against the trailer and then renamed over the target.
 */
const PUT_SCRIPT = `set -eu
mkdir -p -- "$2"
trap 'rm -f -- "$3"' EXIT
(set -C; cat > "$3")
size=$(stat -c %s -- "$3")
trailer=$(tail -c ${TRAILER_BYTES} -- "$3" | tr -cd '0-9a-f')
truncate -s "$((size - ${TRAILER_BYTES}))" -- "$3"
sum=$(sha256sum < "$3")
printf '%s%016d' "\${sum%% *}" "$((size - ${TRAILER_BYTES}))" | { read -r have || :; [ "$have" = "$trailer" ]; } || { echo 'length or SHA-256 differs' >&2; exit 45; }
chmod -- "$4" "$3"
mv -fT -- "$3" "$1"`;

/** Arguments: path, bytes at most plus one. `-f` follows links, inside. */
const GET_SCRIPT = `if [ ! -e "$1" ]; then exit ${MISSING_EXIT_CODE}; fi
if [ ! -f "$1" ]; then echo 'not a regular file' >&2; exit 46; fi
exec head -c "$2" < "$1"`;

function transferFault(verb: string, path: string, { stderr, exitCode, timedOut }: ExecResult) {
  const said = Buffer.concat([stderr.head, stderr.tail]).toString('utf8').trim();
  const ending = timedOut ? 'timed out' : `exit code ${exitCode}`;
  return fault('sandbox_transfer_failed', {
    detail: `${verb} ${JSON.stringify(path)}: ${ending}: ${said}`,
    retryable: timedOut,
  });
}

async function* withTrailer(content: Uint8Array | AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const hash = createHash('sha256');
  let length = 0;
  for await (const piece of content instanceof Uint8Array ? [content] : content) {
    hash.update(piece);
    length += piece.length;
    yield piece;
  }
  yield Buffer.from(hash.digest('hex') + String(length).padStart(16, '0'), 'latin1');
}

/** See `Sandbox.put`. The limit on a file's size counts the trailer too. */
export async function putFile(
  run: RunOwnCall,
  file: { readonly path: string; readonly content: Uint8Array | AsyncIterable<Uint8Array> },
  { signal, mode = DEFAULT_MODE }: PutOptions,
): Promise<void> {
  const parent = posix.dirname(file.path);
  const temporary = posix.join(parent, `.tadpole-put-${randomBytes(16).toString('hex')}`);
  const target = file.path.startsWith('-') ? `./${file.path}` : file.path;
  const result = await run(
    {
      argv: ['/bin/sh', '-c', PUT_SCRIPT, 'sh', target, parent, temporary, mode.toString(8)],
      stdin: withTrailer(file.content),
      timeoutMs: TRANSFER_TIMEOUT_MS,
    },
    { signal },
  );
  if (result.exitCode !== 0) throw transferFault('put', file.path, result);
}

/** See `Sandbox.get`. */
export async function getFile(
  run: RunOwnCall,
  path: string,
  { signal, maxBytes }: GetOptions,
): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const result = await run(
    {
      argv: ['/bin/sh', '-c', GET_SCRIPT, 'sh', path, String(maxBytes + 1)],
      timeoutMs: TRANSFER_TIMEOUT_MS,
      onStdout: (piece) => {
        length += piece.length;
        if (length <= maxBytes) pieces.push(piece);
      },
    },
    { signal },
  );
  if (result.exitCode === MISSING_EXIT_CODE) return null;
  if (result.exitCode !== 0) throw transferFault('get', path, result);
  if (length > maxBytes)
    throw fault('sandbox_transfer_failed', {
      detail: `get ${JSON.stringify(path)}: more than ${maxBytes} bytes`,
      retryable: false,
    });
  return Buffer.concat(pieces);
}
