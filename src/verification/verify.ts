import type { Policy } from '../admission/types.ts';
import type { Log } from '../log.ts';
import type { Sandbox } from '../sandbox/types.ts';
import { collect, type Suite } from './collect.ts';
import { listNotTested } from './not-tested.ts';
import type { SuiteResult, Verification } from './types.ts';
import { judge } from './verdict.ts';

/** Which tree a suite runs on. */
export type VerifiedTree = 'base' | 'patched';

interface CallOptions {
  readonly signal: AbortSignal;
}

export interface VerifyDeps {
  /** A fresh sandbox that the agent never touched, with the tree checked out in `WORKSPACE`. Destroyed here after use. */
  readonly createFilled: (tree: VerifiedTree, options: CallOptions) => Promise<Sandbox>;
  readonly log: Log;
}

const NO_TESTS: Verification = {
  verdict: 'no_tests',
  reason: 'the policy has no test command',
  command: null,
  base: null,
  patched: null,
  comparison: null,
  notTested: ['everything: no test was run'],
};

/** Runs one suite in a sandbox of its own, which is gone afterwards in every ending. */
async function runSuite(
  deps: VerifyDeps,
  { tree, suite }: { readonly tree: VerifiedTree; readonly suite: Suite },
  { signal }: CallOptions,
): Promise<SuiteResult> {
  const sandbox = await deps.createFilled(tree, { signal });
  try {
    return await collect(sandbox, suite, { signal });
  } finally {
    // A failing clean-up must not mask the result or the first error; the reaper will find what is left.
    await sandbox
      .destroy()
      .catch((err: unknown) => deps.log.warn({ err, sandbox: sandbox.name }, 'sandbox not destroyed'));
  }
}

/**
 * The verification stage, first version: base and patched, one after the other, each in a fresh sandbox. `policy` is the
 * policy at the base commit, so that the change cannot choose its own test. Results of the tests are values; faults are
 * the sandbox's alone.
 */
export async function verify(
  deps: VerifyDeps,
  policy: Pick<Policy, 'setup' | 'test'>,
  { signal }: CallOptions,
): Promise<Verification> {
  if (policy.test === null) return NO_TESTS;
  const suite: Suite = { setup: policy.setup, test: policy.test };
  const base = await runSuite(deps, { tree: 'base', suite }, { signal });
  const patched = await runSuite(deps, { tree: 'patched', suite }, { signal });
  const judgement = judge(base, patched);
  const notTested = listNotTested({ suite, patched, comparison: judgement.comparison });
  return { ...judgement, command: suite.test.command, base, patched, notTested };
}
