import { readFile } from 'node:fs/promises';
import { fault } from '../errors.ts';

/** What a Markdown file says as an issue. */
export interface IssueText {
  readonly title: string;
  readonly body: string;
}

/** Reads a Markdown file as an issue; a file that can't be read or has no title ends in `config_invalid`. */
export async function readIssueFile(path: string): Promise<IssueText> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw fault('config_invalid', { detail: `The issue's file ${path} can't be read.`, cause });
  });
  const issue = parseIssue(text);
  if (issue.title !== '') return issue;
  throw fault('config_invalid', { detail: `The issue's file ${path} has no text to make a title of.` });
}

/** The first heading is the title and the rest the body; without a heading the first line is the title. */
export function parseIssue(markdown: string): IssueText {
  const lines = markdown.replace(/^\ufeff/, '').split(/\r?\n/);
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first === -1) return { title: '', body: '' };
  const title = (lines[first] ?? '').replace(/^#+\s+/, '').trim();
  return {
    title,
    body: lines
      .slice(first + 1)
      .join('\n')
      .trim(),
  };
}
