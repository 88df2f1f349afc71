import { once } from 'node:events';
import type { Run, Store } from '../../store/types.ts';
import { followRun } from '../follow-run.ts';
import type { Terminal, TryOptions } from '../types.ts';
import { renderEnding, renderEvents, type TryMode } from './render-try.ts';
import type { TryEnding, TryTitle } from './types.ts';

/** Tadpole and a local forge, up, with the issue labelled. */
export interface TrySession {
  readonly title: TryTitle;
  /** Whether the model is a recording. */
  readonly recorded: boolean;
  readonly runId: string;
  readonly store: Pick<Store, 'readEvents' | 'readRun'>;
  /** Ends everything that was started, and removes what it left. */
  close(): Promise<void>;
}

export interface TryParts {
  /** Whether MODEL_BASE_URL is set. */
  readonly hasModelEndpoint: boolean;
  readonly begin: (options: TryOptions, call: { readonly signal: AbortSignal }) => Promise<TrySession>;
}

export interface TryPlace {
  readonly terminal: Terminal;
  /** The terminal when there is one to draw on; null for pipes. */
  readonly screen: NodeJS.WriteStream | null;
  /** Fires at Ctrl-C. */
  readonly signal: AbortSignal;
}

const USAGE_ERROR = 2;
/** Columns below which a screen that is redrawn is no help; some terminals say 0. */
const NARROWEST = 60;

/** `tadpole try`: brings everything up, shows the run, and stays until Ctrl-C unless told otherwise. 0 = a draft was opened. */
export async function watchTry(options: TryOptions, parts: TryParts, place: TryPlace): Promise<number> {
  const { terminal, signal } = place;
  if (options.own && !parts.hasModelEndpoint) {
    terminal.err(NEEDS_MODEL);
    return USAGE_ERROR;
  }
  const session = await parts.begin(options, { signal });
  try {
    const ending = await show(session, options, place);
    if (!options.once && !signal.aborted) await once(signal, 'abort');
    return ending.outcome === 'pr_opened' ? 0 : 1;
  } finally {
    await session.close();
  }
}

const NEEDS_MODEL = `A recorded model can't fix other people's code: it only plays back what was recorded for the sample.
To try Tadpole on your repository, set MODEL_BASE_URL and MODEL_NAME (and MODEL_API_KEY, where it wants one) to an
OpenAI-compatible endpoint. Without --repo the sample runs with the recording.
`;

async function show(session: TrySession, options: TryOptions, place: TryPlace): Promise<TryEnding> {
  const { title, recorded, runId, store } = session;
  const view = { mode: modeOf(options, place), title, out: place.terminal.out };
  await renderEvents(followRun(store, runId, { signal: place.signal }), view);
  const ending = toEnding(await store.readRun(runId));
  renderEnding(ending, { ...view, recorded, staysUp: !options.once });
  return ending;
}

function modeOf({ json }: TryOptions, { screen }: TryPlace): TryMode {
  if (json) return { kind: 'json' };
  return screen && screen.columns >= NARROWEST ? { kind: 'screen', stream: screen } : { kind: 'lines' };
}

function toEnding(run: Run | null): TryEnding {
  return {
    outcome: run?.outcome ?? 'faulted',
    draft: run?.published?.draft.webUrl ?? null,
    details: run?.outcomeDetails ?? {},
  };
}
