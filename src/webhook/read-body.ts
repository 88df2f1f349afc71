/** GitHub's own limit for deliveries. */
export const MAX_BODY_BYTES = 25 * 1024 * 1024;
/** All bodies in hand together: strangers can send, since a signature can be checked at a body's end only. */
const MAX_HELD_BYTES = 256 * 1024 * 1024;

export type ReadBody =
  | { readonly kind: 'read'; readonly bytes: Uint8Array }
  | { readonly kind: 'too_large' }
  /** Too many large bodies at the same time. */
  | { readonly kind: 'busy' }
  /** The sender went away half-way. */
  | { readonly kind: 'cut' };

/** Reads raw bodies, each within GitHub's limit and all together within ours; stops reading at the first byte too many. */
export function createBodyReader(maxHeld = MAX_HELD_BYTES): (request: Request) => Promise<ReadBody> {
  let held = 0;
  return async (request) => {
    if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES) return { kind: 'too_large' };
    const pieces: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const piece of request.body ?? []) {
        size += piece.length;
        held += piece.length;
        if (size > MAX_BODY_BYTES) return { kind: 'too_large' };
        if (held > maxHeld) return { kind: 'busy' };
        pieces.push(piece);
      }
      return { kind: 'read', bytes: Buffer.concat(pieces) };
    } catch {
      return { kind: 'cut' };
    } finally {
      held -= size;
    }
  };
}
