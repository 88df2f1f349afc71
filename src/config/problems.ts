import { readFileSync } from 'node:fs';

/** One thing that is wrong, as the rest of a sentence that starts with the variable's name. Never holds a secret's value. */
export interface Problem {
  readonly variable: string;
  readonly text: string;
}

export type Report = (variable: string, text: string) => void;

/** All problems as an operator reads them: one line each, by name. Also right for what start-up checks find. */
export function describeProblems(problems: readonly Problem[]): string {
  const width = Math.max(18, ...problems.map((problem) => problem.variable.length));
  const lines = problems.map((problem) => `  ${problem.variable.padEnd(width)}  ${problem.text}`);
  return ["Configuration can't be used; nothing was started.", ...lines].join('\n');
}

/** Text of a file that a variable names; null after reporting why it can't be had. */
export function readNamedFile(variable: string, file: string, report: Report): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    report(variable, `names ${file}, which can't be read (${reason})`);
    return null;
  }
}

/** A secret given as `NAME` or as `NAME_FILE`, never both; null when given as neither, or unreadable (and reported). */
export function readSecret(
  given: { readonly name: string; readonly value: string | undefined; readonly file: string | undefined },
  report: Report,
): string | null {
  const { name, value, file } = given;
  if (value !== undefined && file !== undefined) report(name, `and ${name}_FILE are both set; keep one`);
  if (value !== undefined) return value;
  if (file === undefined) return null;
  const text = readNamedFile(`${name}_FILE`, file, report)?.trim();
  if (text === '') report(`${name}_FILE`, `names ${file}, which is empty`);
  return text || null;
}
