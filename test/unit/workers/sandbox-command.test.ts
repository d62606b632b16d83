/** The command line of a run in a sandbox, which decides what a build can reach. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SandboxPlan, sandboxCommand } from '../../../workers/sandbox/command.ts';
import type { Namespace } from '../../../workers/sandbox/namespace.ts';

const DIRECT: Namespace = { mounting: ['unshare', '--mount'], mapped: [], isMapped: false };
const MAPPED: Namespace = {
  mounting: ['unshare', '--user', '--mount'],
  mapped: ['unshare', '--user'],
  isMapped: true,
};

function plan(more: Partial<SandboxPlan> = {}): SandboxPlan {
  return {
    work: '/w',
    roots: 2,
    hostname: 'build',
    namespace: DIRECT,
    filter: '/w/filter',
    processes: 0,
    names: [],
    ...more,
  };
}

/** Words that follow an option. */
function after(command: readonly string[], option: string, count = 1): string[][] {
  return command.flatMap((word, at) => (word === option ? [command.slice(at + 1, at + 1 + count)] : []));
}

test('a build gets no network, no capability that outlives its start, and the build user', () => {
  const command = sandboxCommand(['make'], plan());
  assert.ok(command.includes('--unshare-net'));
  assert.ok(command.includes('--unshare-pid'));
  assert.ok(command.includes('--die-with-parent'));
  assert.ok(command.includes('--clearenv'));
  assert.deepEqual(after(command, '--cap-add'), [['CAP_SETUID'], ['CAP_SETGID'], ['CAP_SETPCAP']]);
  const user = command.slice(command.indexOf('setpriv'));
  assert.deepEqual(user, [
    ...[
      'setpriv',
      '--reuid=1000',
      '--regid=1000',
      '--clear-groups',
      '--inh-caps=-all',
      '--bounding-set=-all',
    ],
    ...['--no-new-privs', 'make'],
  ]);
  assert.deepEqual(after(command, '--seccomp'), [['4']]);
});

test('layers are stacked with the highest first, by names that no path can break', () => {
  const command = sandboxCommand(['true'], plan({ work: '/w,x:y z', roots: 3 }));
  const options = command[command.indexOf('/w,x:y z') + 1];
  assert.match(options ?? '', /^lowerdir=l2:l1:l0,upperdir=upper,workdir=overlay,volatile,redirect_dir=off/);
});

test('where ids are mapped overlay marks are user attributes and kernel settings need no cover', () => {
  const mapped = sandboxCommand(['true'], plan({ namespace: MAPPED }));
  assert.match(mapped.join(' '), /volatile,userxattr /);
  assert.equal(mapped.includes('/proc/sys'), false);
  const direct = sandboxCommand(['true'], plan());
  assert.deepEqual(after(direct, '--ro-bind', 2), [['/proc/sys', '/proc/sys']]);
});

test('installation runs as root with what dpkg needs, the network and the names for it', () => {
  const command = sandboxCommand(
    ['apt-get', 'update'],
    plan({ root: true, network: true, names: [['/run/r', '/etc/resolv.conf']] }),
  );
  assert.equal(command.includes('--unshare-net'), false);
  assert.equal(command.includes('setpriv'), false);
  const kept = after(command, '--cap-add').flat();
  assert.ok(kept.includes('CAP_CHOWN'));
  for (const never of ['CAP_SYS_ADMIN', 'CAP_MKNOD', 'CAP_NET_ADMIN', 'CAP_SYS_PTRACE', 'CAP_SYS_MODULE']) {
    assert.equal(kept.includes(never), false, never);
  }
  assert.deepEqual(after(command, '--ro-bind', 2).at(-1), ['/run/r', '/etc/resolv.conf']);
});

test('further folders are read-only unless said otherwise, variables are handed over as words', () => {
  const binds = [
    { from: '/host/a', to: '/a' },
    { from: '/host/b', to: '/b', writable: true },
  ];
  const command = sandboxCommand(['env'], plan({ binds, env: { X: '$(id) "y"' }, cwd: '/build/tree' }));
  assert.deepEqual(after(command, '--ro-bind', 2).at(-1), ['/host/a', '/a']);
  assert.deepEqual(after(command, '--bind', 2).at(-1), ['/host/b', '/b']);
  assert.deepEqual(after(command, '--setenv', 2).at(-1), ['X', '$(id) "y"']);
  assert.deepEqual(after(command, '--chdir'), [['/build/tree']]);
});

test('without a control group for processes the kernel counts them per user', () => {
  assert.deepEqual(
    sandboxCommand(['true'], plan({ processes: 77 })).filter(word => word.includes('nproc')),
    ['--nproc=77'],
  );
});
