import { runAgent } from '../../src/agent/loop.ts';
import type { Transcript } from '../../src/agent/transcript.ts';
import type { AgentEnd, Task, Tool, TurnProgress } from '../../src/agent/types.ts';
import { createOpenAiModel } from '../../src/model/openai.ts';
import { FROGNANO } from '../../src/model/profiles/frognano.ts';
import type { AgentLimits } from '../../src/model/types.ts';
import { createSecrets } from '../../src/secrets.ts';
import { gatherLog } from './log-lines.ts';
import { type ModelServer, type Step, startModelServer } from './model-server.ts';
import { never } from './sandboxes.ts';

export interface Ran {
  readonly end: AgentEnd;
  readonly server: ModelServer;
  /** As saved after each turn, the last one at the end. */
  readonly saved: readonly Transcript[];
  readonly progress: readonly TurnProgress[];
  /** Names and arguments of the calls that a tool saw. */
  readonly used: readonly (readonly [string, Readonly<Record<string, unknown>>])[];
}

export interface RunOptions {
  readonly limits?: Partial<AgentLimits>;
  readonly signal?: AbortSignal;
  readonly tools?: readonly Tool[];
  readonly task?: Task;
  readonly always?: Step;
  readonly secret?: string;
  readonly answer?: (name: string, args: Readonly<Record<string, unknown>>) => string;
  readonly onTurn?: (turn: TurnProgress) => void;
}

const NAMES = ['Read', 'Write', 'Edit', 'Glob', 'Bash'];

/** Runs the loop against a scripted endpoint over real HTTP. Tools answer from memory unless some are given. */
export async function runScript(steps: readonly Step[], options: RunOptions = {}): Promise<Ran> {
  const server = await startModelServer(
    steps,
    options.always === undefined ? {} : { always: options.always },
  );
  const used: [string, Readonly<Record<string, unknown>>][] = [];
  const saved: Transcript[] = [];
  const progress: TurnProgress[] = [];
  const { log } = gatherLog();
  const secrets = createSecrets();
  if (options.secret !== undefined) secrets.register(options.secret);
  const inMemory = NAMES.map(
    (name): Tool => ({
      name,
      async run(args) {
        used.push([name, args]);
        return options.answer?.(name, args) ?? `${name} ${used.length}`;
      },
    }),
  );
  try {
    const retry = { attempts: 2, firstPauseMs: 1, maxPauseMs: 1 };
    const endpoint = {
      baseUrl: server.url,
      name: 'scripted',
      apiKey: 'key-of-the-model',
      timeoutMs: 20_000,
      retry,
      log,
    };
    const deps = {
      model: createOpenAiModel({ ...endpoint, sampling: FROGNANO.sampling }),
      profile: FROGNANO,
      limits: { ...FROGNANO.limits, ...options.limits },
      tools: options.tools ?? inMemory,
      secrets,
      log,
      save: async (text: string) => void saved.push(JSON.parse(text)),
      onTurn(turn: TurnProgress) {
        progress.push(turn);
        options.onTurn?.(turn);
      },
    };
    const task = options.task ?? { text: 'Mend it.', testCommand: null };
    const end = await runAgent(deps, task, { signal: options.signal ?? never() });
    return { end, server, saved, progress, used };
  } finally {
    await server.close();
  }
}
