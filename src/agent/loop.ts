import { takeHead } from '../clip.ts';
import type { ExitReason } from '../run/types.ts';
import { act } from './act.ts';
import { buildPrompt } from './prompt.ts';
import { readTurn } from './read-turn.ts';
import { createSession, type Ending, ended, profileLabel, type Session, tryWithin } from './session.ts';
import type { AgentDeps, AgentEnd, Task } from './types.ts';

const LAST_WORDS_BYTES = 64 * 1024;

/**
 * Ask, act, append, until an ending; every ending is a value. The history only grows, so that each request begins
 * with the bytes of the one before. What `save` and `onTurn` throw passes: the run was ended from outside.
 */
export async function runAgent(
  deps: AgentDeps,
  task: Task,
  { signal }: { readonly signal: AbortSignal },
): Promise<AgentEnd> {
  const begin = performance.now();
  const session = createSession(deps, signal);
  const prompt = buildPrompt(deps.profile, task);
  session.history.append(...prompt);
  session.budget.countMessages(prompt);
  let ending: Ending | null = null;
  while (ending === null) ending = await takeTurn(session);
  await save(session, ending.reason);
  return toEnd(session, ending, performance.now() - begin);
}

/** One turn, kept before the next begins; null when another may follow. */
async function takeTurn(session: Session): Promise<Ending | null> {
  const { deps, budget, history, usedIds } = session;
  const limit = budget.reached();
  if (limit) return ended(limit);
  const request = { messages: history.messages, tools: deps.profile.tools, maxTokens: budget.maxTokens() };
  const asked = await tryWithin(session, 'llm_query_error', (signal) =>
    deps.model.complete(request, { signal }),
  );
  if ('ending' in asked) return asked.ending;
  const { durationMs, finishReason, usage } = asked.value;
  const toolNames = deps.tools.map((tool) => tool.name);
  const turn = readTurn(asked.value, { toolNames, turn: budget.turns + 1, usedIds });
  history.append(turn.message);
  budget.countTurn(usage, turn.message);
  if (turn.prose.trim() !== '') session.lastWords = turn.prose.trim();
  const { records, ending } = await act(session, turn, request.maxTokens);
  history.addTurn({ turn: budget.turns, durationMs, finishReason, usage, kind: turn.kind, calls: records });
  await save(session, null);
  const { steps } = deps.limits;
  await deps.onTurn?.({ turn: budget.turns, steps, toolCalls: session.toolCalls, tokens: budget.tokens });
  return ending;
}

async function save({ deps, history, budget }: Session, exitReason: ExitReason | null): Promise<void> {
  const { contextTokens } = budget;
  await deps.save(deps.secrets.redact(history.write({ contextTokens, exitReason })));
}

function toEnd(
  { deps, budget, toolCalls, lastWords }: Session,
  ending: Ending,
  durationMs: number,
): AgentEnd {
  return {
    exitReason: ending.reason,
    fault: ending.fault,
    turns: budget.turns,
    toolCalls,
    tokens: budget.tokens,
    durationMs: Math.round(durationMs),
    lastWords: deps.secrets.redact(takeHead(lastWords, LAST_WORDS_BYTES)),
    model: deps.model.label,
    recorded: deps.model.recorded,
    profile: profileLabel(deps),
  };
}
