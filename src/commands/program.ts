import { Command, CommanderError, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { HELP } from './help.ts';
import type { Commands, Terminal } from './types.ts';

const USAGE_ERROR = 2;
const TRY_PORT = 8787;

export interface ProgramOptions {
  readonly commands: Commands;
  readonly version: string;
  readonly terminal: Terminal;
}

/**
 * Reads the command line (without node and script) and calls the one command that it names.
 * Resolves to the exit code: the command's own, 0 after help or version, 2 when the line can't be used.
 */
export async function runProgram(argv: readonly string[], options: ProgramOptions): Promise<number> {
  let exitCode = 0;
  const settle: Settle = async (code) => {
    exitCode = await code;
  };
  try {
    await createProgram(options, settle).parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
    throw error;
  }
}

type Settle = (code: Promise<number>) => Promise<void>;

function createProgram({ commands, version, terminal }: ProgramOptions, settle: Settle): Command {
  const program = new Command('tadpole')
    .description('Turns a labelled issue into a draft pull request, on your own forge, model and machines.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err })
    .configureHelp({ helpWidth: 110 })
    .showHelpAfterError('(--help tells more)')
    .exitOverride()
    .addHelpText('after', HELP.program);
  const subcommands = [
    toTry(commands, settle),
    toLongRunning('start', 'Receive webhooks and work on them, in one process.', () =>
      settle(commands.start()),
    ),
    toLongRunning('serve', 'The side with credentials: webhooks, drafts, reports.', () =>
      settle(commands.serve()),
    ),
    toLongRunning('work', 'The side with sandboxes: model, change, verification.', () =>
      settle(commands.work()),
    ),
    toReceive(commands, settle),
    toRuns(commands, settle),
    toDoctor(commands, settle),
  ];
  for (const each of subcommands) program.addCommand(each.copyInheritedSettings(program));
  return program;
}

function toLongRunning(
  name: 'start' | 'serve' | 'work',
  summary: string,
  action: () => Promise<void>,
): Command {
  return new Command(name).description(summary).addHelpText('after', HELP[name]).action(action);
}

function toTry(commands: Commands, settle: Settle) {
  const command = new Command('try')
    .description('Watch a labelled issue become a draft, on this machine alone.')
    .option('--once', 'end after the run')
    .option('--json', 'one JSON object a line')
    .option('--repo <path>', 'your own repository instead of the sample; with --issue')
    .option('--issue <file>', 'Markdown file with the issue: its first heading is the title')
    .option('--test-command <command>', 'shell command that runs the tests of --repo')
    .addOption(
      new Option('--port <number>', 'port of the local forge, 0 = any free one')
        .argParser(wholeFrom(0, 65_535))
        .default(TRY_PORT),
    )
    .addHelpText('after', HELP.try);
  return command.action(({ once, json, port, repo, issue, testCommand }) => {
    if ((repo === undefined) !== (issue === undefined))
      command.error('error: --repo and --issue go together');
    if (repo === undefined && testCommand !== undefined)
      command.error('error: --test-command goes with --repo');
    const own =
      repo === undefined || issue === undefined
        ? null
        : { path: repo, issueFile: issue, testCommand: testCommand ?? null };
    return settle(commands.try({ once: once === true, json: json === true, port, own }));
  });
}

function toReceive(commands: Commands, settle: Settle) {
  return new Command('receive')
    .description('Run one recorded delivery through the whole thing, without a network listener.')
    .argument('<fixture>', 'JSON file with the delivery')
    .addHelpText('after', HELP.receive)
    .action((fixture) => settle(commands.receive(fixture)));
}

function toRuns(commands: Commands, settle: Settle) {
  return new Command('runs')
    .description('List the newest runs and how they ended.')
    .addOption(new Option('-n, --limit <number>', 'how many').argParser(wholeFrom(1, 1_000)).default(20))
    .option('--json', 'one JSON object a line')
    .addHelpText('after', HELP.runs)
    .action(({ limit, json }) => settle(commands.runs({ limit, json: json === true })));
}

function toDoctor(commands: Commands, settle: Settle) {
  return new Command('doctor')
    .description('Check configuration, store, queue, git, sandbox, forge and model endpoint.')
    .option('--json', 'one JSON object a line')
    .addHelpText('after', HELP.doctor)
    .action(({ json }) => settle(commands.doctor({ json: json === true })));
}

function wholeFrom(min: number, max: number) {
  return (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It should be a whole number from ${min} to ${max}.`);
  };
}
