import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seccompFilter } from '../../../../../src/sandbox/bubblewrap/host/seccomp.ts';

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const NO_FAMILY = 0x00050061;

/** A small machine for classic BPF: what the kernel would answer to a system call. */
function answerTo(
  filter: Uint8Array,
  call: { arch: number; number: number; args?: readonly number[] },
): number {
  const code = Buffer.from(filter);
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number, 0);
  data.writeUInt32LE(call.arch, 4);
  for (const [index, value] of (call.args ?? []).entries()) data.writeUInt32LE(value, 16 + 8 * index);
  let accumulator = 0;
  for (let at = 0; at < code.length / 8; at += 1) {
    const operation = code.readUInt16LE(at * 8);
    const [whenTrue, whenFalse] = [code.readUInt8(at * 8 + 2), code.readUInt8(at * 8 + 3)];
    const operand = code.readUInt32LE(at * 8 + 4);
    if (operation === 0x06) return operand;
    if (operation === 0x20) accumulator = data.readUInt32LE(operand);
    else if (operation === 0x05) at += operand;
    else {
      const tests: Record<number, boolean> = {
        21: accumulator === operand,
        53: accumulator >= operand,
        69: (accumulator & operand) !== 0,
      };
      assert.ok(operation in tests, `operation ${operation}`);
      at += tests[operation] ? whenTrue : whenFalse;
    }
  }
  throw new Error('ran off the end');
}

const X64 = 0xc000003e;
const ARM64 = 0xc00000b7;

type Row = readonly [what: string, number: number, args: readonly number[], answer: number];

const X64_ROWS: readonly Row[] = [
  ['read', 0, [], ALLOW],
  ['execve', 59, [], ALLOW],
  ['fork by clone', 56, [17], ALLOW],
  ['thread by clone', 56, [0x3d0f00], ALLOW],
  ['clone of a user namespace', 56, [0x10000011], EPERM],
  ['clone of a network namespace', 56, [0x40000011], EPERM],
  ['unshare of files', 272, [0x400], ALLOW],
  ['unshare of time', 272, [0x80], EPERM],
  ['unshare of a user namespace', 272, [0x10000000], EPERM],
  ['clone3', 435, [], ENOSYS],
  ['io_uring_setup', 425, [], ENOSYS],
  ['mseal', 462, [], ALLOW],
  ['a call of tomorrow', 463, [], ENOSYS],
  ['a call of x32', 0x40000000, [], ENOSYS],
  ['mount', 165, [], EPERM],
  ['ptrace', 101, [], EPERM],
  ['keyctl', 250, [], EPERM],
  ['unix socket', 41, [1], ALLOW],
  ['IPv6 socket', 41, [10], ALLOW],
  ['vsock', 41, [40], NO_FAMILY],
  ['packet socket', 41, [17], NO_FAMILY],
  ['vsock pair', 53, [40], NO_FAMILY],
  ['window size', 16, [0, 0x5413], ALLOW],
  ['typing into the terminal', 16, [0, 0x5412], EPERM],
];

const ARM64_ROWS: readonly Row[] = [
  ['openat', 56, [], ALLOW],
  ['fork by clone', 220, [17], ALLOW],
  ['clone of a user namespace', 220, [0x10000011], EPERM],
  ['unshare of a mount namespace', 97, [0x20000], EPERM],
  ['clone3', 435, [], ENOSYS],
  ['mount', 40, [], EPERM],
  ['ptrace', 117, [], EPERM],
  ['keyctl', 219, [], EPERM],
  ['vsock', 198, [40], NO_FAMILY],
  ['IPv4 socket', 198, [2], ALLOW],
  ['typing into the terminal', 29, [0, 0x5412], EPERM],
];

describe('src/sandbox/bubblewrap/host/seccomp.ts', () => {
  for (const [name, arch, rows] of [
    ['x64', X64, X64_ROWS],
    ['arm64', ARM64, ARM64_ROWS],
  ] as const) {
    const filter = seccompFilter(name) ?? new Uint8Array();
    for (const [what, number, args, answer] of rows)
      it(`${name}: ${what}`, () => {
        assert.equal(answerTo(filter, { arch, number, args }), answer);
      });
    it(`${name}: a call in another kind of code ends the process`, () => {
      assert.equal(answerTo(filter, { arch: 0x40000003, number: 1 }), KILL);
    });
  }

  it('knows its limits', () => {
    assert.equal(seccompFilter('mips'), null);
  });
});
