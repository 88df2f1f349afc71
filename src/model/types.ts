/**
 * The model port: one call, one reply. Who calls it: the agent loop, one call at a time per run, many runs at once.
 * The adapter owns transport: time-out, retries with back-off (never a second request while the first may still run),
 * connection closed on abort. It keeps the request's bytes as given: the history is append-only and the server's
 * prefix cache depends on equal bytes.
 * Errors: faults `model_*`. A reply that is merely unhelpful (empty, cut, malformed calls) is a reply, not an error.
 */

export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  /** `arguments` is the JSON text as the model wrote it, perhaps malformed. */
  readonly function: { readonly name: string; readonly arguments: string };
}

export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string | null;
      readonly tool_calls?: readonly ToolCall[];
      /** Reasoning under the field name that the server used, so that replays speak its dialect (case D10). */
      readonly reasoning_content?: string;
      readonly reasoning?: string;
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

export type AssistantMessage = Extract<Message, { role: 'assistant' }>;

/** A tool as the OpenAI protocol describes it. */
export interface ToolDescription {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Record<string, unknown>;
  };
}

export interface CompletionRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDescription[];
  readonly maxTokens: number;
}

export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
}

export interface Reply {
  /** Only the fields of the protocol that Leaf keeps; as the server sent them. */
  readonly message: AssistantMessage;
  readonly finishReason: 'stop' | 'tool_calls' | 'length' | 'other';
  /** Null when the server does not count. */
  readonly usage: Usage | null;
  readonly durationMs: number;
}

export interface Model {
  /** As people read it: the configured name, with "recorded model" where it is a recording. */
  readonly label: string;
  /** True for a recording that is played back: no judgement of the model can rest on it. */
  readonly recorded: boolean;
  complete(request: CompletionRequest, options: { readonly signal: AbortSignal }): Promise<Reply>;
}

/** What one run may use at most; Leaf's evaluated settings are the default profile's. */
export interface AgentLimits {
  /** Turns. */
  readonly steps: number;
  readonly wallMs: number;
  readonly contextTokens: number;
  /** Tokens generated in one turn. */
  readonly turnTokens: number;
}

/** A model's prompt, sampling and limits, versioned together: a change to any of them is a new version. */
export interface Profile {
  readonly name: string;
  readonly version: number;
  /** Fields of the request's body, as they are sent. */
  readonly sampling: Readonly<Record<string, unknown>>;
  readonly limits: AgentLimits;
  readonly systemPrompt: string;
  readonly tools: readonly ToolDescription[];
}
