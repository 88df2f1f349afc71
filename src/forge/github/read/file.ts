import { z } from 'zod';
import type { FileRead, RepositoryRef } from '../../types.ts';
import type { GitHub } from '../github.ts';
import { parseAnswer } from '../rest/parse-answer.ts';
import { ContentAnswer } from '../schema.ts';

const MAX_FILE_BYTES = 1024 * 1024;
/** A folder is answered as a list of what is in it. */
const Content = z.union([ContentAnswer, z.array(z.unknown()).transform(() => null)]);

/** A text file at a commit; null when there is none of that name. */
export async function readFile(
  { client }: GitHub,
  { ref, path, commit }: { readonly ref: RepositoryRef; readonly path: string; readonly commit: string },
  signal: AbortSignal,
): Promise<FileRead | null> {
  const route = 'GET /repos/{owner}/{repo}/contents/{+path}';
  const asked = { ref, use: 'facts', route, parameters: { path, ref: commit } } as const;
  const answer = await client.call(asked, signal);
  if (answer === null) return null;
  const file = parseAnswer(Content, answer.data, route);
  if (file === null || file.type !== 'file') return { kind: 'unreadable', why: 'not_a_file' };
  // GitHub leaves the content out of what is larger.
  if (file.encoding !== 'base64' || file.size > MAX_FILE_BYTES)
    return { kind: 'unreadable', why: 'too_large' };
  return decode(Buffer.from(file.content, 'base64'));
}

function decode(bytes: Uint8Array): FileRead {
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { kind: 'unreadable', why: 'not_text' };
  }
}
