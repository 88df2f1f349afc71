import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { judgePermissions } from '../../../../src/forge/github/app-permissions.ts';
import {
  missingPermissions,
  neededPermissions,
  TOKEN_USES,
} from '../../../../src/forge/github/token-uses.ts';
import { EVENTS } from '../../../../src/webhook/github.ts';

const manifest = parse(await readFile(join(import.meta.dirname, '../../../../app.yml'), 'utf8'));

describe('app.yml', () => {
  test('asks for exactly the permissions that tokens ask for', () => {
    assert.deepEqual(manifest.default_permissions, neededPermissions());
  });

  test('subscribes to exactly the events that the webhook registers', () => {
    const names = [...new Set(EVENTS.map((event) => event.split('.')[0]))];
    assert.deepEqual(manifest.default_events, names);
  });

  test('delivers to the address that the listener has', () => {
    assert.equal(new URL(manifest.hook_attributes.url).pathname, '/api/webhooks/github');
  });
});

describe('src/forge/github/token-uses.ts', () => {
  test('gives each use one permission to write at most, and those that read none', () => {
    for (const [use, permissions] of Object.entries(TOKEN_USES)) {
      const writes = Object.values(permissions).filter((level) => level === 'write').length;
      assert.equal(writes, use === 'facts' || use === 'fetch' ? 0 : 1, use);
    }
  });

  test('finds what is missing by name and level', () => {
    const asked = { contents: 'write', issues: 'read', checks: 'write' } as const;
    assert.deepEqual(missingPermissions(asked, { contents: 'read', issues: 'write' }), [
      'checks: write',
      'contents: write',
    ]);
    assert.deepEqual(missingPermissions(asked, { contents: 'admin', issues: 'read', checks: 'write' }), []);
  });
});

describe('src/forge/github/app-permissions.ts', () => {
  const exact = neededPermissions();

  test('finds nothing to say of an app made from app.yml', () => {
    assert.deepEqual(judgePermissions(manifest.default_permissions), {
      dangerous: [],
      excess: [],
      missing: [],
    });
  });

  for (const name of [
    'workflows',
    'administration',
    'actions',
    'secrets',
    'members',
    'organization_administration',
  ])
    test(`calls ${name} dangerous at any level (T10)`, () => {
      for (const level of ['read', 'write']) {
        const { dangerous, excess } = judgePermissions({ ...exact, [name]: level });
        assert.deepEqual([dangerous, excess], [[name], []]);
      }
    });

  test('tells what is more than needed, and what is missing', () => {
    const { checks: _, ...held } = exact;
    assert.deepEqual(judgePermissions({ ...held, discussions: 'read', metadata: 'write' }), {
      dangerous: [],
      excess: ['discussions: read', 'metadata: write'],
      missing: ['checks: write'],
    });
  });
});
