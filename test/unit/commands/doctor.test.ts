import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { examine, type Look, type Part } from '../../../src/commands/doctor.ts';
import { fault } from '../../../src/errors.ts';
import { createTerminal } from './terminal.ts';

const well: Look = async () => 'well';
const ALL: Record<Part, Look | null> = {
  configuration: well,
  store: async () => 'embedded PostgreSQL',
  queue: well,
  git: async () => 'git 2.39.5',
  sandbox: well,
  forge: well,
  model: well,
};

async function ask(looks: Partial<Record<Part, Look | null>>, json = false) {
  const terminal = createTerminal();
  const signal = new AbortController().signal;
  const exitCode = await examine({ ...ALL, ...looks }, { json }, { terminal, signal });
  return { exitCode, ...terminal.kept };
}

describe('src/commands/doctor.ts', () => {
  test('with everything there, each part has a line and the exit code is 0', async () => {
    const { exitCode, out } = await ask({});
    assert.equal(exitCode, 0);
    assert.match(out, /^store +ok +\d+ ms +embedded PostgreSQL$/m);
    assert.match(out, /^git +ok +\d+ ms +git 2\.39\.5$/m);
    assert.match(out, /Everything is there\.\n$/);
  });

  test('one failure is told with its code, the others are looked at all the same, and the exit code is 1', async () => {
    const { exitCode, out } = await ask({
      store: () => Promise.reject(fault('store_unavailable', { detail: 'no answer from db:5432' })),
    });
    assert.equal(exitCode, 1);
    assert.match(out, /^store +FAILED +\d+ ms +no answer from db:5432 \(store_unavailable\)$/m);
    assert.match(out, /^model +ok /m);
    assert.match(out, /^Failed: store\. docs\/errors\.md/m);
  });

  test('what is not configured is told as such, and is not well', async () => {
    const { exitCode, out } = await ask({ forge: null, model: null });
    assert.equal(exitCode, 1);
    assert.match(out, /^forge +not set +its variables are not set$/m);
    assert.match(out, /^Not set: forge, model\./m);
  });

  test('problems of the configuration are listed line by line', async () => {
    const detail = "Configuration can't be used; nothing was started.\n  PORT  is wrong\n  HOST  is wrong";
    const { out } = await ask({ configuration: () => Promise.reject(fault('config_invalid', { detail })) });
    assert.match(out, /^ {2}PORT {2}is wrong\n {2}HOST {2}is wrong$/m);
  });

  test('a part that never answers does not hold up the others for ever', async () => {
    const signal = AbortSignal.timeout(50);
    const terminal = createTerminal();
    const silent: Look = ({ signal: own }) =>
      new Promise((_, reject) =>
        own.addEventListener('abort', () => reject(fault('queue_unavailable', { detail: 'silent' }))),
      );
    await examine({ ...ALL, queue: silent }, { json: false }, { terminal, signal });
    assert.match(terminal.kept.out, /^queue +FAILED .*silent/m);
  });

  test('as JSON, one part a line', async () => {
    const { out } = await ask({ forge: null }, true);
    const findings = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      findings.map(({ part }) => part),
      Object.keys(ALL),
    );
    assert.equal(findings.find(({ part }) => part === 'forge').state, 'not_set');
  });
});
