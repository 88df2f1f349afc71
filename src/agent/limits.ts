import type { AgentLimits, Message, ToolDescription, Usage } from '../model/types.ts';
import type { ExitReason } from '../run/types.ts';

/** A turn with fewer tokens left than this is not worth asking for. */
const LEAST_TURN_TOKENS = 512;
/** Kept free, since what was added after the last reply is only estimated. */
const SPARE_TOKENS = 256;
/** Bytes a token, on the careful side: code has more, other scripts about this. */
const BYTES_PER_TOKEN = 3;
/** Role, tags and ids of one message. */
const MESSAGE_TOKENS = 8;

/** Steps, context and wall time of one run, and the names of their ends. */
export interface Budget {
  /** The limit that is reached, null when another turn may be asked for. */
  reached(): ExitReason | null;
  remainingMs(): number;
  /** Tokens that the next turn may generate: the turn's limit, or what is left of the context. */
  maxTokens(): number;
  /** Counts a turn. Without the server's count, what the reply added is estimated. */
  countTurn(usage: Usage | null, reply: Message): void;
  countMessages(messages: readonly Message[]): void;
  readonly turns: number;
  readonly contextTokens: number;
  /** Sum over all turns of what each request and its reply held. */
  readonly tokens: number;
}

export function estimateTokens(value: Message | ToolDescription): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(value), 'utf8') / BYTES_PER_TOKEN) + MESSAGE_TOKENS;
}

export function createBudget(limits: AgentLimits, now: () => number = () => performance.now()): Budget {
  const deadline = now() + limits.wallMs;
  let turns = 0;
  let tokens = 0;
  let context = 0;
  const room = () => limits.contextTokens - context - SPARE_TOKENS;
  return {
    reached() {
      if (turns >= limits.steps) return 'max_turns';
      if (now() >= deadline) return 'max_time';
      return room() < Math.min(LEAST_TURN_TOKENS, limits.turnTokens) ? 'max_context_len' : null;
    },
    remainingMs: () => Math.max(0, deadline - now()),
    maxTokens: () => Math.min(limits.turnTokens, room()),
    countTurn(usage, reply) {
      turns += 1;
      context = usage?.totalTokens ?? context + estimateTokens(reply);
      tokens += context;
    },
    countMessages(messages) {
      for (const message of messages) context += estimateTokens(message);
    },
    get turns() {
      return turns;
    },
    get contextTokens() {
      return context;
    },
    get tokens() {
      return tokens;
    },
  };
}
