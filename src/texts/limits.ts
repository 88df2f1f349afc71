import { byteLength } from '../clip.ts';

/**
 * What forges take: 65 536 characters of comment or description and 256 of title. Counted in UTF-8 bytes, the strictest
 * way to count, less room for the adapter's hidden marker.
 */
export const BODY_BYTES = 65_536 - 2_048;
export const TITLE_BYTES = 256;
export const SUBJECT_BYTES = 72;

/** One block of a text, complete in itself: its fences and tags are closed. */
export interface Block {
  readonly text: string;
  /** `must` blocks always stay; of the others, the last is left out first when the text would be too long. */
  readonly rank: 'must' | 'may';
}

const LEFT_OUT = 'Parts of this text were left out because it would have been too long for the forge.';

function join(blocks: readonly Block[]): string {
  return blocks
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join('\n\n');
}

/** Joins blocks into a text within `maxBytes` by leaving whole blocks out, never by cutting into one, and says so. */
export function fitBlocks(blocks: readonly Block[], maxBytes: number): string {
  const kept = [...blocks];
  let text = join(kept);
  while (byteLength(text) > maxBytes) {
    const last = kept.findLastIndex(({ rank }) => rank === 'may');
    if (last === -1) break;
    kept.splice(last, 1);
    text = join([...kept, { text: LEFT_OUT, rank: 'must' }]);
  }
  return text;
}
