import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fault } from '../../errors.ts';
import type { ExecCall, ExecResult, Sandbox, SandboxSpec } from '../types.ts';
import { createCallLine } from './call/call-line.ts';
import { runCall } from './call/run-call.ts';
import type { Cell, Machine } from './cell.ts';
import { chooseHostUser } from './host/host-user.ts';
import { removeTree } from './host/remove-tree.ts';
import { makeSandboxFolder, newSandboxName } from './host/sandbox-folder.ts';
import { probeIsolation } from './probe/probe.ts';
import { getFile, putFile, type RunOwnCall } from './transfer.ts';

interface CallOptions {
  readonly signal: AbortSignal;
}

/** The group goes first: a folder without a group is still found by `reap`, a group without a folder is not. */
async function removeLeftovers({ name, folder, machine }: Cell): Promise<void> {
  await machine.controlGroups?.remove(name);
  await removeTree(folder);
}

/** The longest delay that a timer takes; longer lives get it too. */
const TIMER_MAX_MS = 2 ** 31 - 1;

function createClosing(lifetimeMs: number) {
  const controller = new AbortController();
  const close = (detail: string) =>
    controller.abort(fault('sandbox_lost', { detail: `the sandbox was ${detail}`, retryable: false }));
  const deadline = setTimeout(() => close('past its deadline'), Math.min(lifetimeMs, TIMER_MAX_MS));
  // The timer alone must not keep a process alive: if we end, so does everything in the sandbox.
  deadline.unref();
  const destroyed = () => {
    clearTimeout(deadline);
    close('destroyed');
  };
  return { signal: controller.signal, destroyed };
}

/** Makes the folder, the control group and the filter of a sandbox; nothing is left when one of them fails. */
async function makeCell(
  machine: Machine,
  spec: SandboxSpec,
  rest: Pick<Cell, 'closed' | 'alterArguments'>,
): Promise<Cell> {
  const name = newSandboxName(spec);
  const folder = join(machine.stateDir, name);
  const user = chooseHostUser(process.getuid?.() ?? -1);
  try {
    await makeSandboxFolder(folder, user);
    await writeFile(join(folder, 'seccomp'), machine.seccomp);
    const controlGroup = (await machine.controlGroups?.create(name, spec.limits)) ?? null;
    return { name, folder, machine, limits: spec.limits, user, controlGroup, ...rest };
  } catch (cause) {
    await machine.controlGroups?.remove(name).catch(() => {});
    await removeTree(folder).catch(() => {});
    throw fault('sandbox_start_failed', {
      detail: `the folder or control group of ${name} can't be made`,
      cause,
    });
  }
}

/** A live sandbox; see the port. Between calls it is a folder, a control group and one waiting shell. */
export async function openSandbox(
  machine: Machine,
  spec: SandboxSpec,
  alterArguments: Cell['alterArguments'],
): Promise<Sandbox> {
  const closing = createClosing(spec.limits.lifetimeMs);
  const cell = await makeCell(machine, spec, { closed: closing.signal, alterArguments });
  const line = createCallLine(cell);
  const usedIds = new Set<string>();

  const run = (call: ExecCall, options: CallOptions): Promise<ExecResult> =>
    line.next((open) => runCall({ cell, open }, call, options));
  const runOwn: RunOwnCall = (call, options) => run({ ...call, id: '' }, options);
  const destroy = async () => {
    closing.destroyed();
    await line.finish(() => removeLeftovers(cell));
  };

  try {
    await line.warmUp();
  } catch (thrown) {
    await destroy();
    throw thrown;
  }
  return {
    name: cell.name,
    async exec(call, options) {
      if (usedIds.has(call.id))
        throw fault('internal', { detail: `call id ${JSON.stringify(call.id)} was used before` });
      usedIds.add(call.id);
      return await run(call, options);
    },
    put: (path, content, options) => putFile(runOwn, { path, content }, options),
    get: (path, options) => getFile(runOwn, path, options),
    probe: (options) => probeIsolation(runOwn, cell, options),
    destroy,
  };
}
