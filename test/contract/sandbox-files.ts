import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { Fault } from '../../src/errors.ts';
import { SCRATCH, WORKSPACE } from '../../src/sandbox/types.ts';
import { MIB, never, sh, specFor, text } from '../fakes/sandboxes.ts';
import type { Subject } from './sandbox-suite.ts';

const isTransferFault = (err: unknown) => err instanceof Fault && err.code === 'sandbox_transfer_failed';

/** Files: put, get, and what stays between calls. */
export function fileTests({ world, sandbox }: Subject): void {
  const signal = never();

  it('keeps files between calls', async () => {
    await sh(sandbox(), `echo kept > ${WORKSPACE}/file; echo kept > ~/file; echo kept > /tmp/file`);
    const result = await sh(sandbox(), `cat ${WORKSPACE}/file ~/file /tmp/file`);
    assert.equal(text(result.stdout), 'kept\nkept\nkept\n');
  });

  it('shares nothing with another sandbox', async () => {
    const other = await world().provider.create(specFor('contract'), { signal });
    try {
      await sh(
        sandbox(),
        `echo mine > ${WORKSPACE}/mine; echo mine > /tmp/mine; echo mine > ${SCRATCH}/mine`,
      );
      const result = await sh(other, `ls -A ${WORKSPACE} /tmp ${SCRATCH} ~ | grep -c mine`);
      assert.equal(text(result.stdout), '0\n');
    } finally {
      await other.destroy();
    }
  });

  it('puts and gets bytes as they are', async () => {
    const bytes = randomBytes(1_000_003);
    await sandbox().put(`${WORKSPACE}/deep/er/ file`, bytes, { signal });
    const read = await sandbox().get(`${WORKSPACE}/deep/er/ file`, { signal, maxBytes: bytes.length });
    assert.deepEqual(Buffer.from(read ?? []), bytes);
  });

  it('puts an empty file, and replaces what was there with the mode that is asked for', async () => {
    await sandbox().put(`${WORKSPACE}/tool`, Buffer.from('old content'), { signal });
    await sandbox().put(`${WORKSPACE}/tool`, new Uint8Array(), { signal, mode: 0o755 });
    assert.equal(text((await sh(sandbox(), 'stat -c "%s %a" tool')).stdout), '0 755\n');
  });

  it('leaves no part of a file when its source fails', async () => {
    async function* broken() {
      yield Buffer.from('half');
      throw new Error('source broke');
    }
    await assert.rejects(sandbox().put(`${WORKSPACE}/part/file`, broken(), { signal }), /source broke/);
    assert.equal((await sh(sandbox(), 'test -e part/file')).exitCode, 1);
  });

  it('gets null for what is missing', async () => {
    assert.equal(await sandbox().get(`${WORKSPACE}/none`, { signal, maxBytes: 10 }), null);
    assert.equal(await sandbox().get(`${WORKSPACE}/none/none`, { signal, maxBytes: 10 }), null);
  });

  it('refuses to get more than was asked for, and what is no file', async () => {
    await sh(sandbox(), 'head -c 11 /dev/zero > eleven; mkfifo fifo; mkdir folder');
    for (const name of ['eleven', 'fifo', 'folder'])
      await assert.rejects(sandbox().get(`${WORKSPACE}/${name}`, { signal, maxBytes: 10 }), isTransferFault);
    const whole = await sandbox().get(`${WORKSPACE}/eleven`, { signal, maxBytes: 11 });
    assert.equal(whole?.length, 11);
  });

  it('refuses a file over the limit and goes on', async () => {
    const small = await world().provider.create(specFor('contract', { fileBytes: MIB }), { signal });
    try {
      await assert.rejects(small.put(`${WORKSPACE}/big`, Buffer.alloc(2 * MIB), { signal }), isTransferFault);
      assert.notEqual((await sh(small, 'head -c 2000000 /dev/zero > big')).exitCode, 0);
      assert.equal(text((await sh(small, 'find . -size +1024k | wc -l')).stdout), '0\n');
    } finally {
      await small.destroy();
    }
  });
}
