import type { KeptOutput } from '../../types.ts';

export interface OutputKeeper {
  add(piece: Uint8Array): void;
  kept(): KeptOutput;
}

export interface KeepSizes {
  readonly headBytes: number;
  readonly tailBytes: number;
}

/** Keeps the first and the last bytes of a stream of any size and counts those between; memory is headBytes + tailBytes. */
export function createOutputKeeper({ headBytes, tailBytes }: KeepSizes): OutputKeeper {
  const head: Uint8Array[] = [];
  let headRoom = headBytes;
  // A ring: `ringEnd` is where the next byte goes, `ringBytes` counts all that ever went in.
  const ring = Buffer.alloc(tailBytes);
  let ringEnd = 0;
  let ringBytes = 0;

  function addToRing(piece: Uint8Array): void {
    ringBytes += piece.length;
    if (tailBytes === 0) return;
    const last = piece.subarray(Math.max(0, piece.length - tailBytes));
    const first = Math.min(last.length, tailBytes - ringEnd);
    ring.set(last.subarray(0, first), ringEnd);
    ring.set(last.subarray(first), 0);
    ringEnd = (ringEnd + last.length) % tailBytes;
  }

  function readRing(): Buffer {
    if (ringBytes < tailBytes) return Buffer.from(ring.subarray(0, ringBytes));
    return Buffer.concat([ring.subarray(ringEnd), ring.subarray(0, ringEnd)]);
  }

  return {
    add(piece) {
      const taken = piece.subarray(0, headRoom);
      // Copied: the piece may be a view of a far larger buffer.
      if (taken.length > 0) head.push(Uint8Array.from(taken));
      headRoom -= taken.length;
      if (piece.length > taken.length) addToRing(piece.subarray(taken.length));
    },
    kept() {
      return {
        head: Buffer.concat(head),
        tail: readRing(),
        omittedBytes: Math.max(0, ringBytes - tailBytes),
      };
    },
  };
}
