import type { Policy } from '../admission/types.ts';
import { byteLength, takeTail } from '../clip.ts';
import { printableBytes } from '../printable.ts';
import { type ExecResult, type KeptOutput, type Sandbox, WORKSPACE } from '../sandbox/types.ts';
import { detectRunner, judgeEnding, judgeMissingReport } from './exit-codes.ts';
import { parseJunit } from './junit.ts';
import { prepareReport, type ReportPlace, readReport } from './report-file.ts';
import type { SuiteResult, SuiteState, TestCase } from './types.ts';

/** The policy's part that says how tests are run, with a test command. */
export interface Suite {
  readonly setup: Policy['setup'];
  readonly test: NonNullable<Policy['test']>;
}

interface CallOptions {
  readonly signal: AbortSignal;
}

const OUTPUT_TAIL_BYTES = 4096;
const KEEP = { headBytes: 0, tailBytes: 16 * 1024 };
const MS_PER_MINUTE = 60_000;

/**
 * Not a login shell: `-l` would read start-up files from HOME, where code of the change under test (run by `setup`) could
 * leave something that rules the test command. A policy that wants one can say `bash -lc` itself.
 */
function shellCall(id: string, command: string, suite: Suite) {
  return {
    id,
    argv: ['/bin/bash', '-c', command] as const,
    cwd: WORKSPACE,
    timeoutMs: suite.test.timeoutMinutes * MS_PER_MINUTE,
    keep: KEEP,
  };
}

function lastOf({ head, tail }: KeptOutput): string {
  return printableBytes(Buffer.concat([head, tail])).trim();
}

/** The end of both streams within 4 KiB; standard error last, since runners that could not start speak there. */
function outputTail({ stdout, stderr }: ExecResult): string {
  const errors = takeTail(lastOf(stderr), OUTPUT_TAIL_BYTES / 2);
  const output = takeTail(lastOf(stdout), OUTPUT_TAIL_BYTES - byteLength(errors) - 1);
  return [output, errors].filter((text) => text !== '').join('\n');
}

function toResult(ended: ExecResult, seen: Pick<SuiteResult, 'state' | 'tests'>): SuiteResult {
  return { ...seen, exitCode: ended.exitCode, durationMs: ended.durationMs, outputTail: outputTail(ended) };
}

/** A report counts only if it says the same as the exit code; a forged or cut one seldom does. */
function judgeReport(tests: readonly TestCase[], exitCode: number | null): SuiteState {
  if (tests.length === 0) return 'nothing_collected';
  const hasFailures = tests.some(({ status }) => status === 'failed');
  return hasFailures === (exitCode !== 0) ? 'ran' : 'report_disagrees';
}

/** The tests that the report names, whatever they are worth, and the state that report and exit code make together. */
async function readTests(
  sandbox: Sandbox,
  { place, ended, suite }: { readonly place: ReportPlace; readonly ended: ExecResult; readonly suite: Suite },
  { signal }: CallOptions,
): Promise<Pick<SuiteResult, 'state' | 'tests'>> {
  const report = await readReport(sandbox, place.read, { signal });
  if (report.kind === 'unusable') return { state: 'report_invalid', tests: [] };
  if (report.kind === 'missing') {
    const runner = detectRunner(suite.test.command);
    return { state: judgeMissingReport(outputTail(ended), runner), tests: [] };
  }
  const parsed = parseJunit(new TextDecoder('utf-8').decode(report.bytes));
  if (parsed.kind === 'invalid') return { state: 'report_invalid', tests: [] };
  return { state: judgeReport(parsed.tests, ended.exitCode), tests: parsed.tests };
}

async function runTests(sandbox: Sandbox, suite: Suite, { signal }: CallOptions): Promise<SuiteResult> {
  const { command, report } = suite.test;
  const place = await prepareReport(sandbox, report.path, { signal });
  const call = shellCall('test', command, suite);
  const env = place === null ? {} : { TADPOLE_REPORT: place.fresh };
  const ended = await sandbox.exec({ ...call, env }, { signal });
  const state = judgeEnding(ended, detectRunner(command));
  if (state !== null) return toResult(ended, { state, tests: [] });
  if (report.format === 'none') return toResult(ended, { state: 'exit_code_only', tests: [] });
  if (place === null) return toResult(ended, { state: 'report_invalid', tests: [] });
  return toResult(ended, await readTests(sandbox, { place, ended, suite }, { signal }));
}

/** Runs `setup` and the test command once in a fresh sandbox that holds the tree. Whatever the code does is a result. */
export async function collect(sandbox: Sandbox, suite: Suite, { signal }: CallOptions): Promise<SuiteResult> {
  if (suite.setup !== null) {
    const ended = await sandbox.exec(shellCall('setup', suite.setup, suite), { signal });
    if (ended.exitCode !== 0) return toResult(ended, { state: 'setup_failed', tests: [] });
  }
  return runTests(sandbox, suite, { signal });
}
