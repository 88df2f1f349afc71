import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const FOLDER = new URL('../../samples/total/', import.meta.url);

/** The bundled sample: a small Python package with a failing test, the issue about it, and a recorded model's turns. */
export const SAMPLE = {
  owner: 'acme',
  name: 'sample',
  /** Folder with the files of the repository's first commit. */
  folder: fileURLToPath(new URL('repository/', FOLDER)),
  issueFile: fileURLToPath(new URL('issue.md', FOLDER)),
  transcriptFile: fileURLToPath(new URL('transcript.json', FOLDER)),
} as const;

/** The recording as JSON, to be parsed by whoever plays it. */
export async function readSampleTranscript(): Promise<unknown> {
  return JSON.parse(await readFile(SAMPLE.transcriptFile, 'utf8'));
}
