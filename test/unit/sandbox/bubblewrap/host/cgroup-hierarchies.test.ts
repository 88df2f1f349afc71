import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cgroupCandidates } from '../../../../../src/sandbox/bubblewrap/host/cgroup-hierarchies.ts';

describe('src/sandbox/bubblewrap/host/cgroup-hierarchies.ts', () => {
  it('finds version 1, each controller where it is mounted, under our own group first', () => {
    const cgroup = '8:pids:/\n4:memory:/jobs/a\n3:cpuset:/\n0::/\n';
    const mountinfo = [
      '30 25 0:26 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory',
      '31 25 0:27 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids',
      '32 25 0:28 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw',
    ].join('\n');
    assert.deepEqual(cgroupCandidates(cgroup, mountinfo), [
      { kind: 'v1', memory: '/sys/fs/cgroup/memory/jobs/a', pids: '/sys/fs/cgroup/pids' },
      { kind: 'v1', memory: '/sys/fs/cgroup/memory', pids: '/sys/fs/cgroup/pids' },
    ]);
  });

  it('does without the pids controller of version 1', () => {
    const mountinfo = '30 25 0:26 / /cg/memory rw - cgroup cgroup rw,memory';
    assert.deepEqual(cgroupCandidates('4:memory:/\n', mountinfo)[0], {
      kind: 'v1',
      memory: '/cg/memory',
      pids: null,
    });
  });

  it('finds version 2: own group, beside it, top', () => {
    const mountinfo = '30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate';
    const folders = cgroupCandidates('0::/system.slice/tadpole.service\n', mountinfo).map(
      ({ memory }) => memory,
    );
    assert.deepEqual(folders, [
      '/sys/fs/cgroup/system.slice/tadpole.service',
      '/sys/fs/cgroup/system.slice',
      '/sys/fs/cgroup',
    ]);
  });

  it('translates a container mount, and gives up what lies outside of it', () => {
    const mountinfo = '30 25 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw';
    const inside = cgroupCandidates('0::/docker/abc/x\n', mountinfo).map(({ memory }) => memory);
    assert.deepEqual(inside, ['/sys/fs/cgroup/x', '/sys/fs/cgroup']);
    const outside = cgroupCandidates('0::/other\n', mountinfo).map(({ memory }) => memory);
    assert.deepEqual(outside, ['/sys/fs/cgroup']);
  });

  it('finds nothing in nothing', () => {
    assert.deepEqual(cgroupCandidates('', ''), []);
    assert.deepEqual(cgroupCandidates('garbage', 'garbage\n- -'), []);
  });
});
