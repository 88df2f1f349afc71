import type { Message } from '../model/types.ts';
import { INTERRUPTION } from './progress.ts';
import type { Turn } from './read-turn.ts';
import { runCalls } from './run-calls.ts';
import { type Ending, ended, type Session, tryWithin } from './session.ts';
import type { CallRecord } from './transcript.ts';

/** What a turn led to: the calls that were run, and the end of the run if it is one. */
export interface Acted {
  readonly records: readonly CallRecord[];
  readonly ending: Ending | null;
}

/** Acts on a turn: runs its calls, takes its answer, or tells the model why it was neither. */
export async function act(session: Session, turn: Turn, maxTokens: number): Promise<Acted> {
  if (turn.kind === 'answer') return { records: [], ending: ended('agent') };
  if (turn.kind === 'calls') {
    session.nudges.reset();
    return await actOnCalls(session, turn);
  }
  const nudge = session.nudges.next(turn.kind, { maxTokens, dropped: turn.dropped });
  if (nudge.kind === 'end') return { records: [], ending: ended(nudge.reason) };
  append(session, { role: 'user', content: nudge.text });
  return { records: [], ending: null };
}

async function actOnCalls(session: Session, { calls }: Turn): Promise<Acted> {
  const { progress, budget, deps } = session;
  const asked = JSON.stringify(calls.map(({ call }) => call.function));
  const verdict = progress.judge(asked);
  if (verdict !== 'run') {
    for (const { call } of calls)
      append(session, { role: 'tool', tool_call_id: call.id, content: INTERRUPTION });
    return { records: [], ending: verdict === 'stop' ? ended('no_progress') : null };
  }
  const records: CallRecord[] = [];
  const observations: string[] = [];
  const tried = await tryWithin(session, 'tool_error', (signal) =>
    runCalls(calls, {
      tools: deps.tools,
      context: () => ({ signal, remainingMs: budget.remainingMs() }),
      done(message, record) {
        append(session, message);
        session.toolCalls += 1;
        records.push(record);
        observations.push(message.content);
      },
    }),
  );
  if ('ending' in tried) return { records, ending: tried.ending };
  progress.record(asked, JSON.stringify(observations));
  return { records, ending: null };
}

function append({ history, budget }: Session, message: Message): void {
  history.append(message);
  budget.countMessages([message]);
}
