import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toGitFault } from '../../../src/git/failure.ts';

describe('src/git/failure.ts', () => {
  const table: [string, string, boolean][] = [
    [
      "fatal: could not read Username for 'https://h': terminal prompts disabled",
      'forge_unauthorized',
      false,
    ],
    ["fatal: Authentication failed for 'https://h/x.git/'", 'forge_unauthorized', false],
    [
      "fatal: unable to access 'https://h/x/': The requested URL returned error: 403",
      'forge_forbidden',
      false,
    ],
    ["remote: Repository not found.\nfatal: repository 'https://h/x/' not found", 'forge_forbidden', false],
    [
      "fatal: unable to access 'https://h/': The requested URL returned error: 429",
      'forge_rate_limited',
      true,
    ],
    [
      "fatal: unable to access 'https://h/': The requested URL returned error: 502",
      'forge_unavailable',
      true,
    ],
    ["fatal: unable to access 'https://h/': Could not resolve host: h", 'forge_unavailable', true],
    [
      "fatal: unable to access 'https://h/': Failed to connect to h port 443: Connection refused",
      'forge_unavailable',
      true,
    ],
    [
      'error: RPC failed; curl 56 Recv failure: Connection reset by peer\nfatal: early EOF',
      'forge_unavailable',
      true,
    ],
    [
      "fatal: unable to access 'https://h/': SSL certificate problem: unable to get local issuer certificate",
      'git_failed',
      false,
    ],
    [
      "fatal: unable to access 'https://h/': server certificate verification failed. CAfile: none CRLfile: none",
      'git_failed',
      false,
    ],
    [
      'error: object 1: hasDotgit: contains .git\nfatal: fsck error in packed object',
      'repository_invalid',
      false,
    ],
    ['fatal: remote error: upload-pack: not our ref 1111', 'git_failed', false],
    ['fatal: something else', 'git_failed', true],
    ['', 'git_failed', true],
  ];
  for (const [stderr, code, retryable] of table) {
    it(`${code}: ${stderr.slice(-60)}`, () => {
      const made = toGitFault({ command: 'fetch', exitCode: 128, stderr, host: 'h' });
      assert.deepEqual([made.code, made.retryable], [code, retryable]);
      assert.ok(!made.publicText.includes('https://'));
    });
  }
});
