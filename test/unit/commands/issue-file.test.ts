import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseIssue, readIssueFile } from '../../../src/commands/issue-file.ts';

describe('src/commands/issue-file.ts', () => {
  const cases: readonly (readonly [string, string, string, string])[] = [
    ['a heading and what follows', '# Title\n\nBody\n\n## More\n', 'Title', 'Body\n\n## More'],
    ['a first line without a heading', 'Title\nBody', 'Title', 'Body'],
    [
      'blank lines, a byte order mark and Windows line ends',
      '\ufeff\r\n\r\n# Title\r\nBody\r\n',
      'Title',
      'Body',
    ],
    ['a title alone', '# Title', 'Title', ''],
    ['nothing', ' \n', '', ''],
  ];
  for (const [name, markdown, title, body] of cases) {
    test(`reads ${name}`, () => assert.deepEqual(parseIssue(markdown), { title, body }));
  }

  test('a file that is not there is a mistake of whoever typed it', async () => {
    await assert.rejects(readIssueFile('/does/not/exist.md'), { code: 'config_invalid' });
  });
});
