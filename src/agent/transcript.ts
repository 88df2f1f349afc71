import type { Message, Reply, ToolDescription, Usage } from '../model/types.ts';
import type { ExitReason } from '../run/types.ts';

export interface CallRecord {
  readonly id: string;
  readonly name: string;
  readonly durationMs: number;
  /** Length of the observation. */
  readonly chars: number;
}

/** One turn: when, how long, at what price, and which calls it led to. */
export interface TurnRecord {
  readonly turn: number;
  /** When the reply was there, ISO 8601. */
  readonly at: string;
  readonly durationMs: number;
  readonly finishReason: Reply['finishReason'];
  readonly usage: Usage | null;
  readonly kind: string;
  readonly calls: readonly CallRecord[];
}

/** Everything that was sent and received. Hostile text throughout. */
export interface Transcript {
  readonly version: 1;
  readonly model: string;
  readonly profile: string;
  readonly startedAt: string;
  readonly tools: readonly ToolDescription[];
  readonly messages: readonly Message[];
  readonly turns: readonly TurnRecord[];
  readonly contextTokens: number;
  /** Null while the run goes on. */
  readonly exitReason: ExitReason | null;
}

/** The append-only history and its account. */
export interface History {
  readonly messages: readonly Message[];
  append(...messages: readonly Message[]): void;
  addTurn(turn: Omit<TurnRecord, 'at'>): void;
  /** JSON text as of now. */
  write(state: Pick<Transcript, 'contextTokens' | 'exitReason'>): string;
}

export function createHistory(head: Pick<Transcript, 'model' | 'profile' | 'tools'>): History {
  const startedAt = new Date().toISOString();
  const messages: Message[] = [];
  const turns: TurnRecord[] = [];
  return {
    messages,
    append(...added) {
      // Frozen: a message that was sent once is sent with the same bytes for ever.
      for (const message of added) messages.push(Object.freeze(message));
    },
    addTurn(turn) {
      turns.push({ ...turn, at: new Date().toISOString() });
    },
    write(state) {
      const transcript: Transcript = { version: 1, ...head, startedAt, messages, turns, ...state };
      return JSON.stringify(transcript);
    },
  };
}
