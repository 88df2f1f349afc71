import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeStreams } from '../../../../src/agent/tools/describe-streams.ts';
import type { KeptOutput } from '../../../../src/sandbox/types.ts';

const whole = (text: string | Buffer): KeptOutput => ({
  head: Buffer.from(text as string),
  tail: Buffer.alloc(0),
  omittedBytes: 0,
});

describe('src/agent/tools/describe-streams.ts', () => {
  it('shows both streams as they are while they fit', () => {
    const text = describeStreams('Exit code: 0', { stdout: whole('a\r\nb'), stderr: whole('ü\n') });
    assert.equal(text, 'Exit code: 0\nSTDOUT:\na\r\nb\nSTDERR:\nü\n');
    const full = 'x'.repeat(30_000 - 'Exit code: 0\nSTDOUT:\n\nSTDERR:\n'.length);
    assert.equal(describeStreams('Exit code: 0', { stdout: whole(full), stderr: whole('') }).length, 30_000);
  });

  it('shows head and tail of what is longer, and how much is missing (E18)', () => {
    const stdout = whole(`START${'x'.repeat(50_000)}FAILED: reason`);
    const text = describeStreams('Exit code: 1', { stdout, stderr: whole('trouble') });
    assert.ok(text.startsWith('Exit code: 1\nSTDOUT:\nSTART'));
    assert.match(
      text,
      /x\n\[\.\.\. (\d+) chars left out \.\.\.\]\nx+FAILED: reason\nSTDERR:\ntrouble\n\[truncated \1 chars\]$/,
    );
    assert.ok(text.length < 30_100);
  });

  it('counts what was not kept, and cuts no character in half', () => {
    const euros = Buffer.from('€'.repeat(20_000));
    const stdout = {
      head: euros.subarray(0, 40_000),
      tail: euros.subarray(-40_000),
      omittedBytes: 1_000_000,
    };
    const text = describeStreams('Exit code: 0', { stdout, stderr: whole('') });
    assert.ok(!text.includes('\ufffd'));
    assert.match(text.slice(-30), /\[truncated 99\d{4} chars\]$/);
  });

  it('replaces bytes that are no UTF-8 (E06)', () => {
    const stdout = whole(Buffer.from([0x61, 0xff, 0x00, 0x62]));
    assert.equal(describeStreams('x', { stdout, stderr: whole('') }), 'x\nSTDOUT:\na\ufffd\0b\nSTDERR:\n');
  });

  it('leaves room for both when both are long', () => {
    const text = describeStreams('x', {
      stdout: whole('o'.repeat(90_000)),
      stderr: whole('e'.repeat(90_000)),
    });
    const count = (char: string) => text.split(char).length - 1;
    assert.ok(count('o') > 19_000 && count('e') > 9_900, `${count('o')} ${count('e')}`);
  });
});
