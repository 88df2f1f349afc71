import type { Run, Store } from '../store/types.ts';
import { oneLine, printableValue } from './format.ts';
import { formatTable } from './table.ts';
import type { RunsOptions, Terminal } from './types.ts';

const HEAD = ['run', 'made', 'issue', 'state', 'ended as', 'because', 'draft'];

/** `tadpole runs`: the newest runs, one a line. */
export async function listRuns(
  store: Pick<Store, 'listRuns'>,
  { limit, json }: RunsOptions,
  terminal: Terminal,
): Promise<number> {
  const runs = await store.listRuns({ limit });
  if (json) {
    for (const run of runs) terminal.out(`${JSON.stringify(printableValue(toJson(run)))}\n`);
  } else if (runs.length === 0) terminal.err('There are no runs yet.\n');
  else terminal.out(formatTable([HEAD, ...runs.map(toRow)]));
  return 0;
}

/** What may be shown of a run: no issue text, nothing of the model's. */
function toJson(run: Run) {
  const { repository, issue, sender, label } = run.trigger;
  return {
    run: run.id,
    createdAt: run.createdAt,
    endedAt: run.endedAt,
    repository: `${repository.owner}/${repository.name}`,
    issue,
    label,
    askedBy: sender.login,
    state: run.state,
    outcome: run.outcome,
    details: run.outcomeDetails,
    draft: run.published?.draft.webUrl ?? null,
  };
}

function toRow(run: Run): readonly string[] {
  const { repository, issue, outcome, state, details, draft, createdAt } = toJson(run);
  const because = Object.entries(details).map(([name, value]) => `${name} ${value}`);
  const cells = [
    run.id,
    createdAt.slice(0, 16).replace('T', ' '),
    `${repository}#${issue}`,
    state,
    outcome ?? '–',
    because.join(', ') || '–',
    draft ?? '–',
  ];
  return cells.map((cell, at) => oneLine(cell, at === cells.length - 1 ? 200 : 60));
}
