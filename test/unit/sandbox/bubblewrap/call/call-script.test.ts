import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Fault } from '../../../../../src/errors.ts';
import { callScript, parseCallRecord } from '../../../../../src/sandbox/bubblewrap/call/call-script.ts';

const LIMITS = { memoryBytes: 100, processes: 7, fileBytes: 9, lifetimeMs: 1 };

describe('src/sandbox/bubblewrap/call/call-script.ts', () => {
  it('writes one call as a script, every word quoted', () => {
    const call = { argv: ['printf', "it's", '$HOME'], cwd: 'sub', env: { A: '`id`' } } as const;
    assert.equal(
      callScript(call, LIMITS, 'each_process'),
      [
        "printf 'started\\n' >&3",
        '(exec 0</dev/null 2>&4 3>&- 4>&- 7<&-',
        "cd -- '/workspace/sub' || exit 126",
        'unset OLDPWD SHLVL',
        "export A='`id`'",
        "exec /usr/bin/prlimit --core=0 --fsize=9 --nofile=4096 --nproc=7 --data=100 -- 'printf' 'it'\\''s' '$HOME')",
        'printf \'exit %d\\n\' "$?" >&3',
        'exit\n',
      ].join('\n'),
    );
  });

  it('leaves memory to the control group where there is one, and feeds stdin through a pipe of the shell', () => {
    const script = callScript({ argv: ['x'], stdin: Buffer.from('') }, LIMITS, 'control_group');
    assert.equal(script.includes('--data'), false);
    assert.match(script, /^\{ \/bin\/cat <&7 /m);
  });

  it('refuses words and names that no process can have', () => {
    assert.throws(() => callScript({ argv: ['a\0'] }, LIMITS, 'control_group'), Fault);
    assert.throws(() => callScript({ argv: ['a'], cwd: '/\0' }, LIMITS, 'control_group'), Fault);
    assert.throws(() => callScript({ argv: ['a'], env: { 'A;id': '' } }, LIMITS, 'control_group'), Fault);
  });

  const records: [string, ReturnType<typeof parseCallRecord>][] = [
    ['', { kind: 'not_started' }],
    ['ready\n', { kind: 'not_started' }],
    ['ready\nstarted\n', { kind: 'unfinished' }],
    ['ready\nstarted\nexit 0', { kind: 'unfinished' }],
    ['ready\nstarted\nexit 0\nmore', { kind: 'unfinished' }],
    ['ready\nstarted\nexit 0\n', { kind: 'exited', exitCode: 0 }],
    ['ready\nstarted\nexit 137\n', { kind: 'exited', exitCode: 137 }],
    ['ready\nstarted\nKilled\nexit 137\n', { kind: 'signalled', signal: 9 }],
    ['ready\nstarted\nsh: line 9: 3 Segmentation fault\nexit 139\n', { kind: 'signalled', signal: 11 }],
    ['ready\nstarted\nexit 0\nexit 1\n', { kind: 'exited', exitCode: 1 }],
    ['started\nexit 0\n', { kind: 'not_started' }],
    ['ready\nstarted\nnoise\nexit 1\n', { kind: 'exited', exitCode: 1 }],
  ];
  for (const [status, record] of records)
    it(`reads ${JSON.stringify(status)} as ${record.kind}`, () => {
      assert.deepEqual(parseCallRecord(status), record);
    });
});
