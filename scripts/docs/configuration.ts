import { z } from 'zod';
import { about } from '../../src/config/variable.ts';
import { SECTIONS } from '../../src/config.ts';

/** A variable as the documents show it. */
export interface Variable {
  readonly name: string;
  readonly purpose: string;
  /** Text of the value that it has when not set; null = none. */
  readonly standard: string | null;
  readonly isSecret: boolean;
}

/** Section titles with their variables, as the schema has them. */
export function listVariables(): readonly {
  readonly title: string;
  readonly variables: readonly Variable[];
}[] {
  return Object.entries(SECTIONS).map(([title, section]) => {
    const variables = Object.entries(section.shape).map(([name, schema]) => toVariable(name, schema));
    return { title, variables };
  });
}

function toVariable(name: string, schema: z.ZodType): Variable {
  const entry = about.get(schema);
  if (!entry) throw new Error(`${name} has no purpose in src/config`);
  const standard = schema instanceof z.ZodPrefault ? String(schema.def.defaultValue) : null;
  return { name, purpose: entry.purpose, standard, isSecret: entry.secret === true };
}

/** The whole of `.env.example`. */
export function renderEnvExample(): string {
  const head = [
    '# Copy to .env and set what you need; what is commented out has the value shown, or none.',
    '# docs/configuration.md says more, and which command needs what.',
  ];
  const sections = listVariables().map(({ title, variables }) =>
    [
      `# --- ${title}`,
      ...variables.flatMap((each) => ['', `# ${each.purpose}`, `#${each.name}=${each.standard ?? ''}`]),
    ].join('\n'),
  );
  return `${head.join('\n')}\n\n${sections.join('\n\n')}\n`;
}

/** The tables of docs/configuration.md, one a section. */
export function renderTables(): string {
  return listVariables()
    .map(({ title, variables }) =>
      [
        `### ${title}`,
        '',
        '| variable | standard | what it is |',
        '|---|---|---|',
        ...variables.map(toRow),
      ].join('\n'),
    )
    .join('\n\n');
}

function toRow({ name, purpose, standard, isSecret }: Variable): string {
  const shown = standard === null ? '–' : `\`${standard}\``;
  return `| \`${name}\` | ${shown} | ${purpose.replaceAll('|', '\\|')}${isSecret ? ' (secret)' : ''} |`;
}
