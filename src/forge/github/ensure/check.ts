import type { CheckRequest, RepositoryRef } from '../../types.ts';
import type { GitHub } from '../github.ts';
import { goneFault } from '../rest/client.ts';
import { CheckRunsAnswer } from '../schema.ts';
import { lookActLook } from './look-act-look.ts';

/** Our one check run of this name on the commit; edited only when it differs. Those of other Apps are not looked at. */
export async function ensureCheck(
  { client, appId, pause }: GitHub,
  { ref, check }: { readonly ref: RepositoryRef; readonly check: CheckRequest },
  signal: AbortSignal,
): Promise<void> {
  const { commit, name, conclusion, title, summary } = check;
  const scope = { ref, use: 'check' } as const;
  const content = { name, status: 'completed', conclusion, output: { title, summary } };

  const look = async () => {
    const route = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs';
    const parameters = { ref: commit, check_name: name, per_page: 100 };
    const answer = await client.read(CheckRunsAnswer, { ...scope, route, parameters }, signal);
    const found = answer?.check_runs.find((run) => run.name === name && run.app?.id === appId);
    if (!found) return null;
    const isSame =
      found.conclusion === conclusion && found.output?.title === title && found.output.summary === summary;
    if (isSame) return true;
    const edit = { check_run_id: found.id, ...content };
    await client.call(
      { ...scope, route: 'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', parameters: edit },
      signal,
    );
    return true;
  };
  const act = async () => {
    const route = 'POST /repos/{owner}/{repo}/check-runs';
    const answer = await client.call(
      { ...scope, route, parameters: { head_sha: commit, ...content } },
      signal,
    );
    if (answer === null) throw goneFault(route);
    return { made: true };
  };
  await lookActLook({ look, act }, { pause, signal });
}
