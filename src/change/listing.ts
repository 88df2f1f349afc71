import { createHash } from 'node:crypto';
import { fault } from '../errors.ts';
import type { BytePath } from '../git/tree.ts';
import type { FoundFile, Listing } from './types.ts';

const SIZES = /^(?<list>\d+) (?<ids>\d+) (?<ignored>\d+)\n/;
const FOUND = /^(?<type>[fldg]) (?<mode>[0-7]{1,5}) (?<bytes>\d{1,15}) (?<path>.+)$/s;
const OBJECT_ID = /^[0-9a-f]{40}$/;

/** Thrown for an answer that does not hold together; the caller takes the listing again or gives up. */
export function unsteady(detail: string) {
  return fault('sandbox_transfer_failed', { detail: `listing of the work tree: ${detail}` });
}

/**
 * Parses the answer of the list script: a line of three sizes, then so many bytes of entries, of ids and of ignored
 * paths. Fault `sandbox_transfer_failed` for anything cut, doubled or of an unknown form.
 */
export function parseListing(answer: Uint8Array, maxHashedBytes: number): Listing {
  const text = Buffer.from(answer).toString('latin1');
  const sizes = SIZES.exec(text);
  const { list, ids, ignored } = sizes?.groups ?? {};
  if (!sizes || list === undefined || ids === undefined || ignored === undefined) throw unsteady('no sizes');
  const idsAt = sizes[0].length + Number(list);
  const ignoredAt = idsAt + Number(ids);
  if (text.length !== ignoredAt + Number(ignored)) throw unsteady('it is cut or longer than it says');
  return toListing({
    fields: text.slice(sizes[0].length, idsAt).split('\0').slice(0, -1),
    ids: text.slice(idsAt, ignoredAt).split('\n').slice(0, -1),
    ignored: new Set(text.slice(ignoredAt).split('\0').map(withoutDot)),
    maxHashedBytes,
  });
}

function toListing(parts: {
  readonly fields: readonly string[];
  readonly ids: readonly string[];
  readonly ignored: ReadonlySet<BytePath>;
  readonly maxHashedBytes: number;
}): Listing {
  const { fields, ids, ignored, maxHashedBytes } = parts;
  const files = new Map<BytePath, FoundFile>();
  const caches: BytePath[] = [];
  const nestedRepositories: BytePath[] = [];
  let nextId = 0;
  for (let at = 0; at < fields.length; at += 2) {
    const { type, mode, bytes, path } = FOUND.exec(fields[at] ?? '')?.groups ?? {};
    const target = fields[at + 1];
    if (!type || !mode || !bytes || !path || target === undefined)
      throw unsteady('an entry of an unknown form');
    const size = Number(bytes);
    if (type === 'd') caches.push(path);
    else if (type === 'g') {
      if (path !== '.git') nestedRepositories.push(path.replace(/\/?\.git$/, ''));
    } else if (files.has(path)) throw unsteady('a path is listed twice');
    else if (type === 'l')
      files.set(path, {
        mode: '120000',
        bytes: target.length,
        id: blobId(target),
        ignored: ignored.has(path),
      });
    else {
      const id = size <= maxHashedBytes ? ids[nextId++] : null;
      if (id !== null && !OBJECT_ID.test(id ?? '')) throw unsteady('a file has no id');
      files.set(path, { mode: fileMode(mode), bytes: size, id: id ?? null, ignored: ignored.has(path) });
    }
  }
  if (nextId !== ids.length) throw unsteady('there are more ids than files');
  for (const path of files.keys())
    if (liesInFile(path, files)) throw unsteady('a file is listed as a folder too');
  return { files, caches, nestedRepositories };
}

function liesInFile(path: BytePath, files: Listing['files']): boolean {
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
    if (files.has(path.slice(0, at))) return true;
  return false;
}

function fileMode(permissions: string): '100644' | '100755' {
  return (Number.parseInt(permissions, 8) & 0o100) === 0 ? '100644' : '100755';
}

function withoutDot(path: BytePath): BytePath {
  return path.startsWith('./') ? path.slice(2) : path;
}

/** git's id of a blob, for a symlink's target. */
function blobId(content: BytePath): string {
  const bytes = Buffer.from(content, 'latin1');
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
