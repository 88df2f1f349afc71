import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fault } from '../errors.ts';
import type { Artifacts } from './types.ts';

/** `runs/<run id>/<name>`: our own names only, so that no key can lead out of the folder or over a temporary file. */
const KEY = /^runs\/(?<run>[A-Za-z0-9][A-Za-z0-9_-]{0,63})\/[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;
const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

export interface FolderArtifacts extends Artifacts {
  /** Removes every artifact of a run; safe when there is none. */
  removeRun(runId: string): Promise<void>;
}

/**
 * Artifacts as files of a folder that both sides can reach. A writer works on a temporary file beside the target, waits for
 * the disk, and renames it: readers see the old whole, the new whole, or nothing. Memory use does not grow with size.
 */
export function createArtifacts({ dir }: { readonly dir: string }): FolderArtifacts {
  const root = resolve(dir);
  const pathOf = (key: string) => {
    if (!KEY.test(key)) throw fault('internal', { detail: `not an artifact key: ${JSON.stringify(key)}` });
    return join(root, key);
  };
  return {
    put: async (key, content) => write(pathOf(key), content),
    open: async (key) => openFile(pathOf(key), key),
    async read(key, { maxBytes }) {
      const chunks: Uint8Array[] = [];
      let bytes = 0;
      for await (const chunk of await openFile(pathOf(key), key)) {
        bytes += chunk.length;
        if (bytes > maxBytes) throw fault('internal', { detail: `${key} is larger than ${maxBytes} bytes` });
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    },
    async removeRun(runId) {
      if (!RUN_ID.test(runId)) throw fault('internal', { detail: 'not a run id' });
      await rm(join(root, 'runs', runId), { recursive: true, force: true });
    },
  };
}

async function write(path: string, content: Uint8Array | AsyncIterable<Uint8Array>) {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const temporary = join(folder, `.${crypto.randomUUID()}.part`);
  const handle = await open(temporary, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of content instanceof Uint8Array ? [content] : content) {
      hash.update(chunk);
      bytes += chunk.length;
      await writeWhole(handle, chunk);
    }
    await handle.sync();
    await handle.close();
    await rename(temporary, path);
    await syncFolder(folder);
    return { bytes, sha256: hash.digest('hex') };
  } catch (err) {
    await handle.close();
    await rm(temporary, { force: true });
    throw err;
  }
}

/** `write` may take less than it was given. */
async function writeWhole(handle: Awaited<ReturnType<typeof open>>, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await handle.write(chunk, at)).bytesWritten;
}

/** Opened before it is handed out: a missing artifact is told at once, not in the middle of reading. */
async function openFile(path: string, key: string): Promise<AsyncIterable<Uint8Array>> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    return createReadStream(path, { fd: handle, highWaterMark: 256 * 1024 });
  } catch (cause) {
    throw fault('artifact_missing', { detail: `${key} is not in the artifact folder`, cause });
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}
