import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Sandbox } from '../../src/sandbox/types.ts';
import { type BubblewrapWorld, openBubblewrap, openFolder, run, sh, text } from '../fakes/sandboxes.ts';

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** Runs system calls by Debian's python through ctypes and gives the error number of each, 0 for success. */
async function errnos(sandbox: Sandbox, calls: readonly string[]): Promise<number[]> {
  const program = [
    'import ctypes, sys',
    'libc = ctypes.CDLL(None, use_errno=True)',
    'def call(*args):',
    '  ctypes.set_errno(0)',
    '  return ctypes.get_errno() if libc.syscall(*args) == -1 else 0',
    ...calls.map((call) => `print(call(${call}), flush=True)`),
  ].join('\n');
  const result = await run(sandbox, ['/usr/bin/python3', '-I', '-c', program]);
  assert.equal(result.exitCode, 0, text(result.stderr));
  return text(result.stdout).trim().split('\n').map(Number);
}

describe('src/sandbox/bubblewrap: ways out', () => {
  let world: BubblewrapWorld;
  let sandbox: Sandbox;
  const canaries: string[] = [];
  let prepared = '';
  let canary = '';

  before(async () => {
    prepared = await openFolder('tadpole-prepared-');
    await writeFile(join(prepared, 'module.txt'), 'prepared');
    world = await openBubblewrap({ readOnlyPaths: [{ host: prepared, inside: '/opt/prepared' }] });
    sandbox = await world.create();
    canary = await openFolder('tadpole-canary-');
    await writeFile(join(canary, 'host-file'), 'CANARY');
    canaries.push(join(canary, 'host-file'), `${world.stateDir}`, process.cwd());
  });
  after(async () => {
    await world.close();
    for (const folder of [prepared, canary]) await rm(folder, { recursive: true });
  });

  it('T07: files of the machine, of this process and of its parents are not there', async () => {
    for (const path of canaries)
      assert.notEqual((await run(sandbox, ['/bin/ls', '-d', path])).exitCode, 0, path);
    const seen = await sh(
      sandbox,
      `cat /proc/self/environ /proc/1/environ | tr '\\0' '\\n'; hostname; cat /etc/passwd /etc/hosts /etc/resolv.conf; id -un`,
    );
    const all = text(seen.stdout);
    assert.match(all, /\nsandbox\n/);
    const own = Object.values(process.env).filter((value) => value !== undefined && value.length > 12);
    const shared = own.filter((value) => all.split('\n').some((line) => line.endsWith(`=${value}`)));
    assert.deepEqual(shared, []);
    if (hostname() !== 'sandbox') assert.equal(all.split(/\s/).includes(hostname()), false);
  });

  it('T07: no climb, link or mount point leads out', async () => {
    const climb = '../'.repeat(40);
    const tries = [
      `cat ${climb}etc/shadow`,
      'cat /proc/1/root/etc/shadow',
      'cat /proc/self/cwd/../../../etc/shadow',
    ];
    for (const command of [
      ...tries,
      `ls ${climb}root`,
      'ls /proc/1/cwd/../root',
      'cat /proc/kcore',
      'cat /dev/mem',
    ])
      assert.notEqual((await sh(sandbox, command)).exitCode, 0, command);
  });

  it('shows what an operator prepared, read-only', async () => {
    const result = await sh(sandbox, 'cat /opt/prepared/module.txt; echo x > /opt/prepared/module.txt');
    assert.equal(text(result.stdout), 'prepared');
    assert.notEqual(result.exitCode, 0);
  });

  it('can write nothing but its own folders, and run nothing as somebody else', async () => {
    const result = await sh(
      sandbox,
      'for d in / /usr /usr/bin /usr/local /etc /dev /run /var /opt /home /proc/sys/kernel; do (: > $d/x) 2>/dev/null && echo $d; done; rm -f /usr/bin/env /etc/passwd 2>/dev/null; ls /usr/bin/env',
    );
    assert.equal(text(result.stdout), '/usr/bin/env\n');
    const setuid = await sh(
      sandbox,
      'cp /usr/bin/id ./id; chmod 6755 id; ./id -u; for p in /usr/bin/su /usr/bin/mount /usr/bin/passwd; do [ -u $p ] && grep -c nosuid /proc/self/mounts >/dev/null; done; grep NoNewPrivs /proc/self/status',
    );
    assert.match(text(setuid.stdout), /^1000\nNoNewPrivs:\t1\n$/);
  });

  it('cannot change the kernel, even though this process may be root', async () => {
    const files =
      '/proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sysrq-trigger /proc/sys/vm/drop_caches';
    const result = await sh(
      sandbox,
      `for f in ${files}; do cat $f 2>/dev/null > v; (cat v > $f) 2>/dev/null && echo wrote $f; done`,
    );
    assert.equal(text(result.stdout), '');
  });

  it('cannot make namespaces, mounts, keys or traces', { skip: process.arch !== 'x64' }, async () => {
    // clone(NEWUSER), unshare(NEWUSER), setns, mount, umount2, pivot_root, chroot, keyctl, add_key, request_key, ptrace,
    // process_vm_readv, bpf, perf_event_open, userfaultfd, open_by_handle_at, kexec_load, init_module, fsopen, open_tree
    const denied = [
      ...[
        '56, 0x10000000, 0, 0, 0, 0',
        '272, 0x10000000',
        '308, 0, 0',
        '165, 0, 0, 0, 0, 0',
        '166, 0, 0',
        '155, 0, 0',
      ],
      ...[
        '161, b"/"',
        '250, 0, -3, 0',
        '248, b"user", b"a", b"b", 1, -3',
        '249, b"user", b"a", 0, 0',
        '101, 0, 0, 0, 0',
      ],
      ...[
        '310, 1, 0, 0, 0, 0, 0',
        '321, 0, 0, 0',
        '298, 0, 0, 0, 0, 0',
        '323, 0',
        '304, 0, 0, 0',
        '246, 0, 0, 0, 0',
      ],
      ...[
        '175, 0, 0, b""',
        '430, b"tmpfs", 0',
        '428, -100, b"/", 1',
        '438, 1, 0, 0',
        '272, 0x40000000',
        '272, 0x20000',
      ],
    ];
    assert.deepEqual(
      await errnos(sandbox, denied),
      denied.map(() => EPERM),
    );
    const missing = ['435, 0, 0', '425, 1, 0', '426, 0, 0, 0, 0, 0', '463, 0', '500, 0', '0x40000027'];
    assert.deepEqual(
      await errnos(sandbox, missing),
      missing.map(() => ENOSYS),
    );
  });

  it('can open no socket but unix, IPv4, IPv6 and netlink: vsock and the others know no namespace', async () => {
    const family = (number: number) =>
      `import socket, sys\ntry:\n  socket.socket(${number}, socket.SOCK_STREAM if ${number} != 16 else socket.SOCK_RAW)\nexcept OSError as e:\n  sys.exit(e.errno)`;
    for (const number of [1, 2, 10, 16])
      assert.equal(
        (await run(sandbox, ['/usr/bin/python3', '-I', '-c', family(number)])).exitCode,
        0,
        String(number),
      );
    for (const number of [3, 17, 21, 29, 31, 38, 40, 44])
      assert.equal(
        (await run(sandbox, ['/usr/bin/python3', '-I', '-c', family(number)])).exitCode,
        EAFNOSUPPORT,
        String(number),
      );
  });

  it('still lets ordinary programs do their work', async () => {
    const program =
      'import threading, multiprocessing, subprocess, socket, tempfile, os\n' +
      't = threading.Thread(target=lambda: None); t.start(); t.join()\n' +
      'p = multiprocessing.get_context("fork").Pool(2); assert p.map(abs, [-1]) == [1]; p.terminate()\n' +
      'subprocess.run(["true"], check=True)\n' +
      's = socket.create_server(("127.0.0.1", 0)); c = socket.create_connection(s.getsockname()); c.close()\n' +
      'multiprocessing.shared_memory if False else None\n' +
      'open("/dev/shm/x", "w").close(); tempfile.TemporaryFile().close(); os.openpty()\n';
    const result = await run(sandbox, ['/usr/bin/python3', '-c', program]);
    assert.equal(result.exitCode, 0, text(result.stderr));
    const git = await sh(
      sandbox,
      'git init -q r && cd r && git -c user.name=a -c user.email=b commit -q --allow-empty -m x && git log --oneline | wc -l',
    );
    assert.equal(text(git.stdout), '1\n');
  });

  it('leaks no open file of this process', async () => {
    assert.equal(
      text((await sh(sandbox, 'ls /proc/self/fd | tr "\\n" " "; exec 3<&- ; ls /proc/$$/fd | wc -l')).stdout)
        .split(' ')
        .slice(0, 4)
        .join(' '),
      '0 1 2 3',
    );
  });
});
