/** What the agent needs of others, and what it gives back. */
import type { Fault } from '../errors.ts';
import type { Log } from '../log.ts';
import type { AgentLimits, Model, Profile } from '../model/types.ts';
import type { AgentSummary } from '../run/types.ts';
import type { Secrets } from '../secrets.ts';

export interface ToolContext {
  readonly signal: AbortSignal;
  /** Wall time that the run has left, ms. */
  readonly remainingMs: number;
}

/** One tool. Whatever the model can mend comes back as text; faults of the sandbox are thrown. */
export interface Tool {
  readonly name: string;
  run(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<string>;
}

/** What is asked of the model. Hostile text: it comes from the issue. */
export interface Task {
  /** `PinnedText.text`. */
  readonly text: string;
  /** The policy's test command, named to the model; null when there is none. */
  readonly testCommand: string | null;
}

/** How far the run is, told after every turn. */
export interface TurnProgress {
  readonly turn: number;
  readonly steps: number;
  readonly toolCalls: number;
  readonly tokens: number;
}

export interface AgentDeps {
  readonly model: Model;
  readonly profile: Profile;
  /** The profile's limits, narrowed by policy and server. */
  readonly limits: AgentLimits;
  readonly tools: readonly Tool[];
  readonly secrets: Pick<Secrets, 'redact'>;
  readonly log: Log;
  /**
   * Keeps the transcript (JSON text, secrets taken out); awaited after every turn, so a turn is kept before the next
   * begins.
   */
  save(transcript: string): Promise<void>;
  onTurn?(turn: TurnProgress): void | Promise<void>;
}

/** How the agent ended: all of the summary but the place of its transcript, which the caller knows. */
export interface AgentEnd extends Omit<AgentSummary, 'transcript'> {
  /**
   * The trouble behind `llm_query_error` and `tool_error`: whoever can try again should throw it. Null for all other
   * endings.
   */
  readonly fault: Fault | null;
}
