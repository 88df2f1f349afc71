import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClientFramer, parseAnswer, parseStartup } from '../../../src/store/wire.ts';

function typed(type: string, body = ''): Buffer {
  const bytes = Buffer.alloc(5 + body.length);
  bytes.write(type, 0, 'latin1');
  bytes.writeInt32BE(4 + body.length, 1);
  bytes.write(body, 5, 'latin1');
  return bytes;
}

function startup(code: number, body = ''): Buffer {
  const bytes = Buffer.alloc(8 + body.length);
  bytes.writeInt32BE(8 + body.length, 0);
  bytes.writeInt32BE(code, 4);
  bytes.write(body, 8, 'latin1');
  return bytes;
}

const STARTUP = startup(196608, 'user\0frog\0options\0-c search_path="bullmq"\0\0');

describe('src/store/wire.ts', () => {
  it('finds the same messages however the stream is cut', () => {
    const stream = Buffer.concat([startup(80877103), STARTUP, typed('P', 'select'), typed('B'), typed('S')]);
    for (let size = 1; size <= stream.length; size += 1) {
      const frame = createClientFramer();
      const kinds: string[] = [];
      for (let at = 0; at < stream.length; at += size) {
        for (const message of frame(stream.subarray(at, at + size))) {
          kinds.push(message.kind === 'typed' ? message.type : message.kind);
        }
      }
      assert.deepEqual(kinds, ['encryption_request', 'startup', 'P', 'B', 'S']);
    }
  });

  it('refuses impossible lengths and other protocols', () => {
    assert.throws(() => createClientFramer()(Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])), RangeError);
    assert.throws(() => createClientFramer()(Buffer.from([0x7f, 255, 255, 255, 0, 0, 0, 0])), RangeError);
    assert.equal(createClientFramer()(startup(80877102, '12345678'))[0]?.kind, 'unsupported');
  });

  it('reads what a client asks for at its start', () => {
    assert.deepEqual(Object.fromEntries(parseStartup(STARTUP)), {
      user: 'frog',
      options: '-c search_path="bullmq"',
    });
  });

  it('separates notifications from the answer and knows the state it ends in', () => {
    const answer = parseAnswer(
      Buffer.concat([typed('C', 'x'), typed('A', 'n1'), typed('Z', 'T'), typed('A', 'n2')]),
    );
    assert.deepEqual(answer.own, Buffer.concat([typed('C', 'x'), typed('Z', 'T')]));
    assert.deepEqual(answer.notifications, Buffer.concat([typed('A', 'n1'), typed('A', 'n2')]));
    assert.equal(answer.state, 'transaction');
    assert.equal(parseAnswer(typed('Z', 'I')).state, 'idle');
    assert.equal(parseAnswer(typed('Z', 'E')).state, 'failed');
    assert.equal(parseAnswer(typed('C')).state, null);
  });
});
