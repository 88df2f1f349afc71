import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Fault, type FaultCode } from '../../src/errors.ts';
import { assertLeastPermissions } from '../../src/forge/github/app-permissions.ts';
import { by, first } from '../fakes/forge-gate.ts';
import { createForgeWorld, type ForgeWorld } from '../fakes/forge-world.ts';

const options = { signal: AbortSignal.timeout(240_000) };

function isFault(code: FaultCode, pattern = /./) {
  return (thrown: unknown) => {
    assert.ok(thrown instanceof Fault, String(thrown));
    assert.equal(thrown.code, code);
    assert.match(thrown.detail, pattern);
    return true;
  };
}

describe('src/forge/github/app-permissions.ts at the start', () => {
  let world: ForgeWorld;
  before(async () => {
    world = await createForgeWorld();
  });
  after(() => world.close());

  test('accepts an app with the permissions of app.yml', async () => {
    const standing = await assertLeastPermissions(world.options, options);
    assert.deepEqual(standing, { dangerous: [], excess: [], missing: [] });
  });

  test('refuses an app that may change workflows, and says where to take that away (T10)', async () => {
    const app = {
      slug: 'tadpole',
      permissions: { contents: 'write', workflows: 'write', administration: 'read' },
    };
    world.gate.rule = first(by('GET', /\/app$/), { status: 200, body: app });
    await assert.rejects(
      assertLeastPermissions(world.options, options),
      isFault('config_invalid', /holds workflows, administration;.*settings/),
    );
  });
});
