/** Which control groups a task gets on hosts of each kind. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ControlGroup, hierarchies } from '../../../workers/sandbox/cgroup.ts';
import { LIMITS } from '../../support/attempt.ts';

const V2 =
  '30 22 0:27 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate\n';
const V1 = ['cpu,cpuacct', 'memory', 'pids', 'name=systemd']
  .map(
    (name, at) =>
      `4${at} 31 0:3${at} / /sys/fs/cgroup/${name.replace('name=', '')} rw - cgroup cgroup rw,xattr,${name}\n`,
  )
  .join('');

test('a delegated service has its groups beside the leaf of the daemon', () => {
  const asked: string[] = [];
  const found = hierarchies(V2, '0::/system.slice/rackwrightd.service/daemon\n', (_version, parent) => {
    asked.push(parent);
    return ['memory', 'pids', 'cpu', 'cpuacct'];
  });
  assert.deepEqual(asked, ['/sys/fs/cgroup/system.slice/rackwrightd.service']);
  assert.deepEqual(found, [
    {
      version: 2,
      parent: '/sys/fs/cgroup/system.slice/rackwrightd.service',
      controllers: ['memory', 'pids', 'cpu', 'cpuacct'],
    },
  ]);
});

test('where the own group gives nothing, root makes groups below the root of the hierarchy', () => {
  const found = hierarchies(V2, '0::/user.slice/session-1.scope\n', (_version, parent) =>
    parent === '/sys/fs/cgroup' ? ['memory', 'pids', 'cpu', 'cpuacct'] : null,
  );
  assert.deepEqual(
    found.map(each => each.parent),
    ['/sys/fs/cgroup'],
  );
});

test('a host without delegation has no groups', () => {
  assert.deepEqual(
    hierarchies(V2, '0::/user.slice/session-1.scope\n', () => null),
    [],
  );
});

test('version 1 has a group in each hierarchy that counts something, below our own', () => {
  const own = '4:pids:/\n3:memory:/outer/inner\n2:cpu,cpuacct:/\n1:name=systemd:/x\n';
  const found = hierarchies(V1, own, () => []);
  assert.deepEqual(
    found.map(each => [each.version, each.parent, each.controllers.join()]),
    [
      [1, '/sys/fs/cgroup/cpu,cpuacct', 'cpu,cpuacct'],
      [1, '/sys/fs/cgroup/memory/outer/inner', 'memory'],
      [1, '/sys/fs/cgroup/pids', 'pids'],
    ],
  );
});

test('a mixed host counts by version 1 and kills by version 2', () => {
  const mixed = `${V1}${V2.replace('/sys/fs/cgroup rw', '/sys/fs/cgroup/unified rw')}`;
  const found = hierarchies(mixed, '2:memory:/\n1:pids:/\n0::/\n', version =>
    version === 2 ? ['hugetlb', 'cpuacct'] : [],
  );
  assert.deepEqual(
    found.map(each => [each.version, each.controllers.join()]),
    [
      [1, 'memory'],
      [1, 'pids'],
      [2, 'cpuacct'],
    ],
  );
});

test("a container that sees its own group as the mount's root finds it", () => {
  const inner = V2.replace('0:27 / ', '0:27 /docker/abc ');
  const found = hierarchies(inner, '0::/docker/abc/app\n', () => ['memory']);
  assert.equal(found[0]?.parent, '/sys/fs/cgroup/app');
});

test('limits are written as the kernel wants them, and those that nobody takes are named', () => {
  const parent = mkdtempSync(join(tmpdir(), 'rackwright-cgroup-'));
  try {
    const limits = { ...LIMITS, memory: 1_000_000, pids: 50, cpus: 1.5 };
    const group = new ControlGroup(
      [{ version: 2, parent, controllers: ['memory', 'pids', 'cpu', 'cpuacct'] }],
      'task',
      limits,
    );
    assert.deepEqual(group.missing, []);
    const folder = join(parent, 'task');
    assert.deepEqual(
      readdirSync(folder).map(name => `${name}=${readFileSync(join(folder, name), 'utf8')}`),
      [
        'cpu.max=150000 100000',
        'memory.max=1000000',
        'memory.oom.group=1',
        'memory.swap.max=0',
        'pids.max=50',
      ],
    );
    for (const file of readdirSync(folder)) writeFileSync(join(folder, file), '');
    group.limit({ ...limits, memory: 500_000, pids: 20 });
    assert.deepEqual(group.missing, []);
    assert.equal(readFileSync(join(folder, 'memory.max'), 'utf8'), '500000');
    assert.equal(readFileSync(join(folder, 'pids.max'), 'utf8'), '20');
    writeFileSync(join(folder, 'memory.events'), 'low 0\noom 3\noom_kill 2\noom_group_kill 1\n');
    writeFileSync(join(folder, 'memory.peak'), '123\n');
    writeFileSync(join(folder, 'cpu.stat'), 'usage_usec 2500000\nuser_usec 1\n');
    writeFileSync(join(folder, 'cgroup.procs'), '');
    assert.equal(group.outOfMemory(), 2);
    assert.deepEqual(group.usage(), { peakMemory: 123, cpuSeconds: 2.5 });
    const without = new ControlGroup([], 'task', limits);
    assert.deepEqual(without.missing, ['memory', 'pids', 'cpus']);
    assert.equal(without.usage(), null);
    mkdirSync(join(parent, 'other'));
    assert.ok(existsSync(folder));
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});

test('a limit of zero is no limit and nothing is missing', () => {
  const group = new ControlGroup([], 'task', { ...LIMITS, memory: 0, pids: 0, cpus: 0 });
  assert.deepEqual(group.missing, []);
  group.limit({ ...LIMITS, memory: 0, pids: 20, cpus: 0 });
  assert.deepEqual(group.missing, ['pids']);
});
