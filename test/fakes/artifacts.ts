import { createHash } from 'node:crypto';
import { fault } from '../../src/errors.ts';
import type { Artifacts } from '../../src/store/types.ts';

/** Artifacts in memory. */
export function createMemoryArtifacts(): Artifacts & { readonly values: Map<string, Buffer> } {
  const values = new Map<string, Buffer>();
  const read = (key: string) => {
    const value = values.get(key);
    if (!value) throw fault('artifact_missing', { detail: key });
    return value;
  };
  return {
    values,
    async put(key, content) {
      const pieces: Uint8Array[] = [];
      if (content instanceof Uint8Array) pieces.push(content);
      else for await (const piece of content) pieces.push(piece);
      const value = Buffer.concat(pieces);
      values.set(key, value);
      return { bytes: value.length, sha256: createHash('sha256').update(value).digest('hex') };
    },
    async open(key) {
      const value = read(key);
      return (async function* () {
        for (let at = 0; at < value.length; at += 65_536) yield value.subarray(at, at + 65_536);
      })();
    },
    async read(key, { maxBytes }) {
      const value = read(key);
      if (value.length > maxBytes) throw fault('internal', { detail: 'artifact too large' });
      return value;
    },
  };
}
