import type { AssistantMessage, Reply } from '../model/types.ts';
import { recoverCalls } from './call-recovery.ts';
import type { Unusable } from './nudges.ts';
import { type CallRules, type PlannedCall, planCalls, toToolCalls } from './plan-calls.ts';
import { neutraliseControl } from './special-tokens.ts';
import { splitReply } from './split-reply.ts';

/** What a reply means. `message` is what the history keeps of it, valid for strict servers. */
export interface Turn {
  readonly kind: 'calls' | 'answer' | Unusable;
  readonly message: AssistantMessage;
  readonly calls: readonly PlannedCall[];
  /** What it says, without thinking and without call markup. */
  readonly prose: string;
  /** Names of calls that were dropped because the turn was cut. */
  readonly dropped: readonly string[];
}

/**
 * Reads a reply: calls where the protocol has them, else where a server left them; a cut turn is never run (case
 * D07).
 */
export function readTurn(reply: Reply, rules: CallRules): Turn {
  const { message, finishReason } = reply;
  const native = message.tool_calls ?? [];
  const { thinking, text } = splitReply(message);
  const nothing = { calls: [], dropped: [] };
  if (finishReason === 'length') {
    const dropped = native.map((call) => call.function.name.slice(0, 64));
    const prose = recoverCalls(text)?.prose ?? text;
    return { kind: 'cut', message: keep(message, {}), ...nothing, prose, dropped };
  }
  if (native.length > 0) return withCalls(planCalls(native, rules), message, text);
  const inText = recoverCalls(text);
  if (inText) return readRecovered(inText, rules, message);
  // Only a reply that says nothing else meant a call in its thinking (case D01).
  const inThinking = text.trim() === '' ? recoverCalls(thinking) : null;
  if (inThinking)
    return readRecovered(
      { calls: inThinking.calls, prose: '' },
      rules,
      withoutCalls(message, inThinking.prose),
    );
  const unusable = text.trim() === '' || finishReason === 'other';
  return { kind: unusable ? 'empty' : 'answer', message: keep(message, {}), ...nothing, prose: text };
}

function readRecovered(
  { calls, prose }: NonNullable<ReturnType<typeof recoverCalls>>,
  rules: CallRules,
  message: AssistantMessage,
): Turn {
  const isWhole = calls.some((call) => call.arguments !== null && call.name !== null);
  if (!isWhole) return { kind: 'broken_call', message: keep(message, {}), calls: [], prose, dropped: [] };
  const stripped: AssistantMessage = { ...message, content: prose };
  return withCalls(planCalls(toToolCalls(calls), rules), stripped, prose);
}

function withCalls(calls: readonly PlannedCall[], message: AssistantMessage, prose: string): Turn {
  const kept = keep(message, { tool_calls: calls.map((planned) => planned.call) });
  return { kind: 'calls', message: kept, calls, prose: recoverCalls(prose)?.prose ?? prose, dropped: [] };
}

/** The thinking without the call that was taken out of it, in whichever field it was. */
function withoutCalls(message: AssistantMessage, thinking: string): AssistantMessage {
  if (message.reasoning_content !== undefined) {
    const { reasoning: _dropped, ...rest } = message;
    return { ...rest, reasoning_content: thinking };
  }
  return message.reasoning === undefined ? message : { ...message, reasoning: thinking };
}

/** Role, content, calls and thinking as the server named it, and nothing else; content is always a string. */
function keep(message: AssistantMessage, calls: Pick<AssistantMessage, 'tool_calls'>): AssistantMessage {
  const clean = (text: string) => neutraliseControl(text.toWellFormed());
  const { content, reasoning_content, reasoning } = message;
  return {
    role: 'assistant',
    content: clean(content ?? ''),
    ...calls,
    ...(reasoning_content === undefined ? {} : { reasoning_content: clean(reasoning_content) }),
    ...(reasoning === undefined ? {} : { reasoning: clean(reasoning) }),
  };
}
