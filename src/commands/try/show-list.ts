import { Listr, type ListrDefaultRendererLogLevels, ListrLogger, ProcessOutput } from 'listr2';
import { STAGES, type Stage } from '../../outcome.ts';
import type { RunEvent } from '../../store/types.ts';
import { isWorthALine, toLine } from './show-lines.ts';
import { describeEvent } from './stage-text.ts';

/** Stages with a line on the screen. */
const SHOWN: readonly Stage[] = STAGES.filter((stage) => stage !== 'queue' && stage !== 'report');

type StageEnd = 'done' | 'failed' | 'skipped';

/** Stages on a terminal: a spinner for the one that works, its news beside it, its line when it has ended. */
export async function showList(events: AsyncIterable<RunEvent>, stream: NodeJS.WriteStream): Promise<void> {
  const board = createBoard();
  const reading = board.read(events);
  const tasks = SHOWN.map((stage) => ({
    title: stage,
    task: async (_: unknown, task: { title: string; skip: (message?: string) => void }) => {
      const end = await board.follow(stage, (line) => {
        task.title = line;
      });
      if (end === 'skipped') task.skip();
      // The list marks what throws; the run's own ending is told below it.
      if (end === 'failed') throw new Error(task.title);
    },
  }));
  const processOutput = new ProcessOutput(stream, undefined, { leaveEmptyLine: false });
  const logger = new ListrLogger<ListrDefaultRendererLogLevels>({ useIcons: true, processOutput });
  const rendererOptions = {
    logger,
    formatOutput: 'truncate' as const,
    showErrorMessage: false,
    collapseErrors: false,
    collapseSkips: true,
  };
  // Whether there is a screen was decided by whoever handed it in, so that the fallback is the same.
  const list = new Listr(tasks, {
    concurrent: false,
    exitOnError: false,
    renderer: 'default',
    rendererOptions,
    fallbackRenderer: 'default',
    fallbackRendererOptions: rendererOptions,
  });
  await list.run();
  await reading;
}

/** Events by stage, for readers that wait for the next one. */
export function createBoard() {
  const latest = new Map<Stage, RunEvent>();
  let over = false;
  let news = Promise.withResolvers<void>();
  const wake = () => {
    news.resolve();
    news = Promise.withResolvers<void>();
  };
  const isPast = (stage: Stage) =>
    over || STAGES.slice(STAGES.indexOf(stage) + 1).some((each) => latest.has(each));

  return {
    async read(events: AsyncIterable<RunEvent>): Promise<void> {
      try {
        for await (const event of events) {
          latest.set(event.stage, event);
          wake();
        }
      } finally {
        over = true;
        wake();
      }
    },
    /** Tells each new line of a stage until it has ended, or will not come any more. */
    async follow(stage: Stage, tell: (line: string) => void): Promise<StageEnd> {
      for (;;) {
        const event = latest.get(stage);
        if (event) tell(isWorthALine(event) ? toLine(event).trimStart() : toNews(event));
        if (event?.kind === 'finished') return 'done';
        if (event && isWorthALine(event)) return 'failed';
        if (isPast(stage)) return 'skipped';
        await news.promise;
      }
    },
  };
}

function toNews(event: RunEvent): string {
  return `${event.stage.padEnd(13)} ${event.kind === 'progress' ? describeEvent(event) : '…'}`;
}
