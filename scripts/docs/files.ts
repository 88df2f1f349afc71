import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderEnvExample, renderTables } from './configuration.ts';
import { replaceGenerated } from './generated.ts';

/** Files that follow from the code, with the text that they should have. Written by `npm run check -- --fix`, compared by a test. */
export function renderFiles(root: string): readonly { readonly path: string; readonly text: string }[] {
  const configuration = 'docs/configuration.md';
  return [
    { path: '.env.example', text: renderEnvExample() },
    {
      path: configuration,
      text: replaceGenerated(readFileSync(join(root, configuration), 'utf8'), renderTables()),
    },
  ];
}
