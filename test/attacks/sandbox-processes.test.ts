import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '../../src/errors.ts';
import { createBubblewrap } from '../../src/sandbox/bubblewrap/bubblewrap.ts';
import type { Sandbox } from '../../src/sandbox/types.ts';
import {
  type BubblewrapWorld,
  COUNT_FORKS,
  MIB,
  openBubblewrap,
  openFolder,
  run,
  sh,
  text,
} from '../fakes/sandboxes.ts';

/** Processes on this machine whose arguments name a folder. */
async function processesNaming(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await readdir('/proc')) {
    const argv = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
    if (argv.includes(`${folder}/`)) found.push(pid);
  }
  return found;
}

/** Processes on this machine whose program text holds a mark. */
async function processesMarked(mark: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of await readdir('/proc')) {
    const argv = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
    if (argv.includes(mark) && pid !== String(process.pid)) found.push(pid);
  }
  return found;
}

async function until(holds: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 500; tries += 1) {
    if (await holds()) return true;
    await delay(20);
  }
  return false;
}

describe('src/sandbox/bubblewrap: processes', () => {
  let world: BubblewrapWorld;
  let sandbox: Sandbox;
  before(async () => {
    world = await openBubblewrap();
    sandbox = await world.create();
  });
  after(() => world.close());

  it('A09: after a time-out nothing of the call is left and its files stop growing', async () => {
    const mark = `beat-${process.pid}-${Date.now()}`;
    const beat = (name: string) => `while :; do echo ${mark} >> ${name}; sleep 0.02; done`;
    const script = `setsid sh -c '${beat('far')}' > /dev/null 2>&1 & (${beat('near')}) & echo tail; wait`;
    const seen: string[][] = [];
    const call = sh(sandbox, script, { timeoutMs: 1500 });
    await until(async () => {
      seen.push(await processesMarked(mark));
      return (seen.at(-1)?.length ?? 0) > 0;
    });
    const result = await call;
    assert.deepEqual([result.timedOut, text(result.stdout)], [true, 'tail\n']);
    assert.ok((seen.at(-1)?.length ?? 0) > 0, 'the processes were there before');
    assert.deepEqual(await processesMarked(mark), []);
    const sizes = await sh(
      sandbox,
      'stat -c %s near far; sleep 0.2; stat -c %s near far; ls -d /proc/[0-9]* | wc -l',
    );
    const [near, far, nearLater, farLater, processes] = text(sizes.stdout).split('\n').map(Number);
    assert.ok(near && far);
    assert.deepEqual([nearLater, farLater], [near, far]);
    assert.ok(processes && processes < 7, `${processes} processes`);
  });

  it('ends what an ending call leaves in the background, before the result is there', async () => {
    const mark = `left-${process.pid}-${Date.now()}`;
    const result = await sh(
      sandbox,
      `setsid sh -c 'sleep 300; : ${mark}' > /dev/null 2>&1 & (sleep 300; : ${mark}) & exit 9`,
    );
    assert.equal(result.exitCode, 9);
    assert.deepEqual(await processesMarked(mark), []);
  });

  it('a program can kill neither the shell that reports on it nor hide that it was killed', async () => {
    assert.equal((await sh(sandbox, 'kill -9 1; kill -9 -1; exit 5')).exitCode, 5);
    const killed = await sh(sandbox, 'kill -9 $$');
    assert.deepEqual([killed.exitCode, killed.signal], [null, 9]);
    const crashed = await sh(sandbox, 'kill -SEGV $$');
    assert.deepEqual([crashed.exitCode, crashed.signal], [null, 11]);
  });

  it('a waiting shell that somebody ends is replaced, since no call had begun in it', async () => {
    const folder = join(world.stateDir, sandbox.name);
    await sh(sandbox, 'true');
    assert.ok(await until(async () => (await processesNaming(folder)).length > 0));
    for (const pid of await processesNaming(folder)) process.kill(Number(pid), 'SIGKILL');
    assert.ok(await until(async () => (await processesNaming(folder)).length === 0));
    assert.equal((await sh(sandbox, 'exit 4')).exitCode, 4);
  });

  it('T41: a fork bomb ends with its call while another sandbox works', async () => {
    const other = await world.create();
    const bomb = run(sandbox, ['/bin/bash', '-c', 'b() { b | b & }; b; sleep 60'], { timeoutMs: 2500 });
    const result = await sh(other, 'seq 1 100000 | tail -n 1');
    assert.equal(text(result.stdout), '100000\n');
    await bomb;
    assert.equal((await sh(sandbox, 'exit 3')).exitCode, 3);
  });

  it('T41: the number of processes is limited', async () => {
    const small = await world.create({ processes: 40 });
    const result = await sh(small, COUNT_FORKS);
    const forks = Number(text(result.stdout).trim().split('\n').at(-1));
    assert.ok(forks > 20 && forks < 45, `${forks} processes`);
  });

  it('T41: memory is limited, and a result says that it was that', async () => {
    const small = await world.create({ memoryBytes: 64 * MIB });
    const result = await sh(small, 'head -c 300000000 /dev/zero | tail -c 300000000 | wc -c');
    assert.equal(result.outOfMemory, true);
    const shared = await sh(small, 'head -c 300000000 /dev/zero > /dev/shm/fill');
    assert.notEqual(shared.exitCode, 0);
    assert.equal((await sh(small, 'exit 2')).exitCode, 2);
  });

  it('T41: without control groups a process is still limited in memory, and there are not more of them', async () => {
    const asNobody = new URL('../fakes/sandbox-as-user.ts', import.meta.url).pathname;
    const stateDir = await openFolder('tadpole-nobody-');
    const child = spawn(process.execPath, [asNobody, stateDir, '64000'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.setEncoding('utf8');
    let output = '';
    child.stdout.on('data', (piece) => (output += piece));
    await once(child, 'close');
    assert.deepEqual(await readdir(stateDir), []);
    await rm(stateDir, { recursive: true });
    const { notLimited, memory, processes, isolation } = JSON.parse(output);
    assert.match(notLimited[0], /memory of all processes together/);
    assert.notEqual(memory, 0);
    assert.ok(processes > 20 && processes < 45, `${processes} processes`);
    assert.deepEqual(isolation, []);
  });

  it('T41: a call that fills the disk is ended before the disk is full', async () => {
    const { bavail, bsize } = await statfs(world.stateDir);
    const low = await openBubblewrap({ minFreeBytes: bavail * bsize - 64 * MIB });
    try {
      const filling = await low.create();
      const fill = 'for i in 1 2 3 4 5 6 7 8; do fallocate -l 500M fill-$i; done; sleep 60';
      await assert.rejects(sh(filling, fill), (err) => err instanceof Fault && err.code === 'sandbox_lost');
    } finally {
      await low.close();
    }
  });

  it('kill -9 of the parent ends everything inside, and the next start removes the folder', async () => {
    const holder = new URL('../fakes/sandbox-holder.ts', import.meta.url).pathname;
    const stateDir = await openFolder('tadpole-killed-');
    const child: ChildProcess = spawn(process.execPath, [holder, stateDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    assert.ok(child.stdout);
    const [name] = (await once(child.stdout, 'data')).map((line) => String(line).trim());
    const beatFile = join(stateDir, name ?? '', 'workspace', 'beat');
    const size = async () => (await readFile(beatFile).catch(() => Buffer.alloc(0))).length;
    assert.ok(await until(async () => (await size()) > 0));
    assert.ok((await processesNaming(stateDir)).length > 1);
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.ok(await until(async () => (await processesNaming(stateDir)).length === 0));
    const last = await size();
    await delay(200);
    assert.equal(await size(), last);
    const next = createBubblewrap({ stateDir });
    assert.deepEqual(await next.reap(async () => true), []);
    assert.deepEqual(await next.reap(async () => false), [name]);
    assert.deepEqual(await readdir(stateDir), []);
    await rm(stateDir, { recursive: true });
  });
});
