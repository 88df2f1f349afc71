/** The program: reads environment and arguments once, and hands both down. Nothing else reads them. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';
import { type Base, openBase, type Started } from './app.ts';
import { examine } from './commands/doctor.ts';
import { runProgram } from './commands/program.ts';
import { receive } from './commands/receive.ts';
import { listRuns } from './commands/runs.ts';
import { watchTry } from './commands/try/watch-run.ts';
import type { Commands, Terminal } from './commands/types.ts';
import { type Need, parseConfig } from './config.ts';
import { createLooks } from './doctor-looks.ts';
import { toFault } from './errors.ts';
import { createLog } from './log.ts';
import { createSecrets } from './secrets.ts';
import { startForgeSide } from './start-forge-side.ts';
import { startSandboxSide } from './start-sandbox-side.ts';
import { beginTry } from './try-session.ts';

const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')));

const terminal: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
};
/** What a shell expects of a program that Ctrl-C ended. */
const INTERRUPTED = 130;

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    // A second signal ends at once: what is under way is taken up again from the store.
    if (interrupted.signal.aborted) process.exit(INTERRUPTED);
    interrupted.abort();
  });
}
const { signal } = interrupted;

function open<const Needed extends readonly Need[]>(needs: Needed) {
  const config = parseConfig(process.env, needs);
  const secrets = createSecrets();
  for (const value of config.secretValues) secrets.register(value);
  const log = createLog({ level: config.logLevel, secrets });
  return { config, secrets, log, owner: `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}` };
}

/** Brings parts up, stays until a signal, and takes them down in reverse. */
async function stayUp(base: Base, starts: readonly (() => Promise<Started>)[]): Promise<number> {
  const started: Started[] = [base];
  try {
    for (const start of starts) started.push(await start());
    if (!signal.aborted) await new Promise((done) => signal.addEventListener('abort', done, { once: true }));
  } finally {
    for (const part of started.reverse()) await part.close();
  }
  return 0;
}

const commands: Commands = {
  async start() {
    const parts = open(['forge', 'model', 'sandbox']);
    const { forge, model, sandbox } = parts.config;
    const base = await openBase(parts.config, parts);
    return stayUp(base, [
      () => startForgeSide(base, forge, { recorded: false }),
      () => startSandboxSide(base, { model, sandbox, recorded: false }),
    ]);
  },
  async serve() {
    const parts = open(['forge']);
    const base = await openBase(parts.config, parts);
    return stayUp(base, [() => startForgeSide(base, parts.config.forge, { recorded: false })]);
  },
  async work() {
    const parts = open(['model', 'sandbox']);
    const { model, sandbox } = parts.config;
    const base = await openBase(parts.config, parts);
    return stayUp(base, [() => startSandboxSide(base, { model, sandbox, recorded: false })]);
  },
  async receive(fixture) {
    const parts = open(['forge', 'model', 'sandbox']);
    const { forge, model, sandbox } = parts.config;
    const base = await openBase({ ...parts.config, listen: { host: '127.0.0.1', port: 0 } }, parts);
    const sides: Started[] = [base];
    try {
      const forgeSide = await startForgeSide(base, forge, { recorded: false });
      sides.push(forgeSide, await startSandboxSide(base, { model, sandbox, recorded: false }));
      const deliver = async (delivery: Parameters<Parameters<typeof receive>[1]['deliver']>[0]) => {
        const { id, event, payload } = delivery;
        const intake =
          typeof payload === 'object' && payload !== null
            ? await forgeSide.deliver({ id, event, payload })
            : null;
        if (intake?.kind === 'unavailable') throw intake.fault;
        if (intake?.kind === 'accepted') return { runId: intake.runId };
        return { ignored: intake && 'reason' in intake ? intake.reason : 'not an event that starts a run' };
      };
      return await receive(fixture, { deliver, store: base.store }, { terminal, signal });
    } finally {
      for (const side of sides.reverse()) await side.close();
    }
  },
  try: (options) =>
    watchTry(
      options,
      {
        hasModelEndpoint: process.env.MODEL_BASE_URL !== undefined && process.env.MODEL_BASE_URL !== '',
        begin: (asked) => beginTry(asked, { env: process.env, version }),
      },
      { terminal, screen: process.stdout.isTTY ? process.stdout : null, signal },
    ),
  async runs(options) {
    const parts = open([]);
    const base = await openBase(parts.config, parts);
    try {
      return await listRuns(base.store, options, terminal);
    } finally {
      await base.close();
    }
  },
  doctor: (options) => examine(createLooks(process.env), options, { terminal, signal }),
};

/** Ends by a signal are no errors; a fault is told in the operator's words, anything else with where it came from. */
function explain(thrown: unknown): number {
  if (signal.aborted) return INTERRUPTED;
  const failure = toFault(thrown);
  terminal.err(`${failure.detail}\n`);
  if (failure.code === 'internal' && thrown instanceof Error) terminal.err(`${thrown.stack}\n`);
  return 1;
}

process.exitCode = await runProgram(process.argv.slice(2), { commands, version, terminal }).catch(explain);
