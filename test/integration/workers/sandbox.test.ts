/** The sandbox with real bwrap, overlayfs and control groups. */
import assert from 'node:assert/strict';
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { arch } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { Fault } from '../../../proto/fault.ts';
import { decodeLog } from '../../../proto/frame.ts';
import { Attempt } from '../../../workers/attempt.ts';
import type { RunOptions } from '../../../workers/context.ts';
import type { Progress } from '../../../workers/job.ts';
import { type JobOptions, newPlace, type OpenAttempt, openAttempt, testJob } from '../../support/attempt.ts';
import { preparedRoot } from '../../support/environment.ts';
import { MINI_BUILD } from '../../support/mini-package.ts';
import { until } from '../../support/until.ts';

let root = '';
before(async () => {
  root = await preparedRoot();
});

/** Opens an attempt with a sandbox, and takes both away after. */
async function inSandbox(
  options: JobOptions,
  work: (
    run: (script: string, more?: RunOptions) => Promise<{ code: number; out: string }>,
    opened: OpenAttempt,
  ) => Promise<void>,
): Promise<void> {
  const opened = await openAttempt(options);
  try {
    const sandbox = await opened.attempt.context.openSandbox({
      roots: [root],
      work: join(opened.place, 'sandbox'),
    });
    await work(async (script, more = {}) => {
      const { exitCode, stdout } = await sandbox.run(['sh', '-c', script], { capture: 1024 * 1024, ...more });
      return { code: exitCode, out: stdout.toString('utf8') };
    }, opened);
  } finally {
    await opened.close();
  }
}

/** Processes of ours that are left: none may be. */
function leftOf(opened: OpenAttempt): string[] {
  return readdirSync('/proc')
    .filter(entry => /^\d+$/.test(entry))
    .filter(entry => {
      try {
        const environment = readFileSync(`/proc/${entry}/environ`, 'latin1');
        return environment.includes(`RACKWRIGHT_TASK=${opened.attempt.job.task}`);
      } catch {
        return false;
      }
    });
}

test('a build runs as user 1000 with a bare environment, no capabilities and no network', async () => {
  process.env.RACKWRIGHT_TEST_SECRET = 'do not tell';
  try {
    await inSandbox({}, async run => {
      const { code, out } = await run(
        'id -u; id -g; id -G; env | sort; grep Cap /proc/self/status; tail -n +3 /proc/net/dev; hostname',
      );
      assert.equal(code, 0);
      const lines = out.trim().split('\n');
      assert.deepEqual(lines.slice(0, 3), ['1000', '1000', '1000']);
      assert.deepEqual(
        lines.filter(line => line.includes('=')),
        [
          'HOME=/nonexistent',
          'LANG=C.UTF-8',
          'LOGNAME=build',
          'PATH=/usr/sbin:/usr/bin:/sbin:/bin',
          'PWD=/build',
          'USER=build',
        ],
      );
      const capabilities = lines.filter(line => line.startsWith('Cap'));
      assert.equal(capabilities.length, 5);
      for (const line of capabilities) assert.match(line, /\t0{16}$/);
      assert.deepEqual(lines.filter(line => /^\s*\w+:\s/.test(line) && !line.startsWith('Cap')).length, 1);
      assert.equal(lines.at(-1), 'build');
    });
  } finally {
    delete process.env.RACKWRIGHT_TEST_SECRET;
  }
});

test('nothing of the host is readable, and none of its secrets shows in any process of the sandbox', async () => {
  process.env.RACKWRIGHT_TEST_SECRET = 'do not tell';
  try {
    await inSandbox({}, async (run, opened) => {
      const { out } = await run(
        `cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c SECRET; ls ${opened.place} ${process.cwd()} 2>/dev/null | wc -l; ls /tmp /home | wc -l; ls -d /sys/* 2>/dev/null | wc -l; ls -d /proc/[0-9]* | wc -l`,
        { root: true },
      );
      const [secrets, places, files, sys, processes] = out.trim().split('\n').map(Number);
      assert.equal(secrets, 0);
      assert.equal(places, 0);
      // The two headings, an empty line between, and nothing under either.
      assert.equal(files, 3);
      assert.equal(sys, 0);
      assert.ok((processes ?? 99) < 10, `${processes} processes are seen`);
    });
  } finally {
    delete process.env.RACKWRIGHT_TEST_SECRET;
  }
});

const ESCAPES: readonly (readonly [what: string, script: string])[] = [
  ['mounting', 'mount -t tmpfs none /mnt'],
  ['a new user namespace', 'unshare --user --map-root-user true'],
  ['a new mount namespace', 'unshare --mount true'],
  ["entering the host's namespaces", 'nsenter --target 1 --mount true'],
  ['making devices', 'mknod /build/sda b 8 0'],
  ['writing to the root', 'touch /usr/bin/x'],
  ['writing kernel settings', 'echo "|/build/x" > /proc/sys/kernel/core_pattern'],
  ['reading memory of the machine', 'head -c 1 /dev/mem'],
  ['becoming root by a set-id program', 'cp /bin/sh /build/sh; chmod u+s /build/sh; su -c true'],
  ['the kernel log', 'dmesg'],
  ['signalling outside', 'kill -0 $(( $(cat /proc/sys/kernel/pid_max) - 1 ))'],
  ['changing the clock', 'date -s 2001-01-01'],
  ['the network', 'bash -c "exec 3<>/dev/tcp/127.0.0.1/22"'],
];
for (const [what, script] of ESCAPES) {
  test(`${what} is refused in a build`, async () => {
    await inSandbox({}, async run => {
      const { code } = await run(script);
      assert.notEqual(code, 0);
    });
  });
}

test('who installs packages has no way to the machine either', async () => {
  await inSandbox({}, async run => {
    for (const script of [
      'mount -t tmpfs none /mnt',
      'mknod /dev/sda b 8 0',
      'echo x > /proc/sys/kernel/core_pattern',
      'echo h > /proc/sysrq-trigger',
      'unshare --user true',
      // The checkout that this test runs in is on the machine, and nowhere inside.
      `chroot /proc/1/root/../../.. test -e '${import.meta.dirname}'`,
    ]) {
      const { code } = await run(script, { root: true });
      assert.notEqual(code, 0, script);
    }
    const { code } = await run('chown 5:5 /etc/hostname && apt-get --version >/dev/null && chroot / true', {
      root: true,
    });
    assert.equal(code, 0);
  });
});

test('changes stay in the sandbox from run to run, /tmp does not, and the root is never written', async () => {
  await inSandbox({}, async run => {
    await run('echo kept > /etc/rackwright-test; echo gone > /tmp/x; echo here > /build/y', { root: true });
    const { out } = await run('cat /etc/rackwright-test; ls /tmp; cat /build/y; stat -c %U /build/y');
    assert.equal(out, 'kept\nhere\nUNKNOWN\n');
    assert.equal(existsSync(join(root, 'etc/rackwright-test')), false);
  });
});

test('output comes on a terminal of its own, standard input is empty, text can be given', async () => {
  await inSandbox({}, async (run, opened) => {
    const { out } = await run('cat; test -t 2 && echo terminal; test -t 0 || echo no input');
    assert.equal(out, 'terminal\nno input\n');
    const given = await run('cat', { input: 'from the host\n' });
    assert.equal(given.out, 'from the host\n');
    await run('echo shown >&2');
    assert.match(opened.output(), /shown\r\n/);
  });
});

test('programs find the limits of an ordinary login, whatever those of the daemon are', async () => {
  await inSandbox({}, async run => {
    assert.equal((await run('ulimit -n; ulimit -c')).out, '1024\n0\n');
  });
});

test('a signal that ended the command is named, an exit code is given back', async () => {
  await inSandbox({}, async run => {
    assert.equal((await run('exit 7')).code, 7);
    await assert.rejects(
      () => run('kill -9 $$'),
      (error: Fault) => error.reason === 'killed' && /SIGKILL/.test(error.message),
    );
  });
});

const noGroups = process.getuid?.() === 0 ? false : 'needs control groups, which only root may make here';
test('a builder that is killed from outside ends its task naming the signal, with all of its programs', async () => {
  await inSandbox({}, async (run, opened) => {
    const running = run('sleep 1000 & echo started >&2; sleep 1000');
    running.catch(() => undefined);
    while (!opened.output().includes('started')) await new Promise(resolve => setTimeout(resolve, 20));
    const holder = Math.min(...leftOf(opened).map(Number));
    process.kill(holder, 'SIGKILL');
    await assert.rejects(
      () => running,
      (error: Fault) => error.reason === 'killed' && /SIGKILL/.test(error.message),
    );
    assert.deepEqual(leftOf(opened), []);
  });
});

test('what a run has left in the background ends before the run is told to have ended', {
  skip: noGroups,
}, async () => {
  await inSandbox({}, async (run, opened) => {
    const group = opened.sent.find(message => message.type === 'group')?.cgroup ?? '';
    for (let round = 0; round < 10; round++) {
      const { code } = await run('sleep 1000 & (while :; do echo x >>/build/more; done) & exit 3');
      assert.equal(code, 3);
      assert.equal(readFileSync(join(group, 'cgroup.procs'), 'utf8'), '');
    }
  });
});

test('what begins as an attempt ends is not started, and writes nothing any more', async () => {
  await inSandbox({}, async (run, { attempt, output }) => {
    const running = run('echo begun >&2; sleep 1000');
    running.catch(() => undefined);
    await attempt.close();
    await assert.rejects(
      () => running,
      (error: Fault) => error.reason === 'interrupted',
    );
    assert.equal(output(), '');
  });
});

test('a memory bomb ends as out-of-memory, and the next run of another task works', {
  skip: noGroups,
}, async () => {
  await inSandbox({ limits: { memory: 128 * 1024 ** 2 } }, async (run, opened) => {
    await assert.rejects(
      () => run('tail /dev/zero'),
      (error: Fault) => error.reason === 'out-of-memory',
      JSON.stringify(opened.sent),
    );
    assert.deepEqual(leftOf(opened), []);
  });
  await inSandbox({}, async run => assert.equal((await run('echo fine')).out, 'fine\n'));
});

test('a fork bomb is held by the limit of processes and removed with its group', async () => {
  await inSandbox({ limits: { pids: 200, timeout: 3 } }, async (run, opened) => {
    await assert.rejects(
      // The first process forks but once, before there is a bomb: each half of a pipeline in the background is forked by
      // who starts it, and a shell that can't fork any longer ends by itself.
      () => run('bomb() { bomb | bomb & }; (bomb) & exec sleep 60'),
      (error: Fault) => error.reason === 'timeout-total',
    );
    assert.deepEqual(leftOf(opened), []);
  });
});

/** Starts processes until there are a hundred or the kernel refuses, and answers how many it started. */
const CROWD =
  'while (@all < 100 && defined(my $pid = fork)) { if (!$pid) { sleep 60; exit } push @all, $pid } print scalar @all; kill 9, @all';
const HUNGER = 'head -c 200000000 /dev/zero | tail -c 200000000 >/dev/null';

test('limits that a file lowers hold for what runs from then on, and those that it would raise stay', async () => {
  await inSandbox({ limits: { timeout: 600, pids: 1000 } }, async (_run, opened) => {
    const { context } = opened.attempt;
    context.lowerLimits({ timeout: 3600, pids: 40 }, 'artifact.yml');
    assert.deepEqual([context.limits.timeout, context.limits.pids], [600, 40]);
    const sandbox = await context.openSandbox({ roots: [root], work: join(opened.place, 'lowered') });
    const { stdout } = await sandbox.run(['perl', '-e', CROWD], { capture: 1000 });
    const most = Number(stdout.toString('utf8'));
    assert.ok(most > 5 && most < 40, `${most} processes`);
    context.lowerLimits({ idleTimeout: 1 }, 'artifact.yml');
    await assert.rejects(
      () => sandbox.run(['sleep', '60']),
      (error: Fault) => error.reason === 'timeout-idle' && / 1 s/.test(error.message),
    );
    const told = opened.frames().flatMap(frame => decodeLog(frame.payload)?.text ?? []);
    assert.deepEqual(
      told.filter(line => line.includes('artifact.yml')),
      [
        'artifact.yml asks for more than the instance allows; what stays: timeout 600 s.',
        'limits lowered by artifact.yml: pids 40 processes',
        'limits lowered by artifact.yml: idle_timeout 1 s',
      ],
    );
  });
});

test('memory that a file lowers is all that a task gets', { skip: noGroups }, async () => {
  await inSandbox({ limits: { memory: 1024 ** 3 } }, async (run, opened) => {
    assert.equal((await run(HUNGER)).code, 0);
    opened.attempt.context.lowerLimits({ memory: 96 * 1024 ** 2 }, 'artifact.yml');
    await assert.rejects(
      () => run(HUNGER),
      (error: Fault) => error.reason === 'out-of-memory',
    );
    assert.deepEqual(leftOf(opened), []);
  });
});

test('ten gigabytes of output end at the limit of the journal, in bounded memory', async () => {
  await inSandbox({ limits: { journal: 30 * 1024 ** 2 } }, async (run, opened) => {
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 50);
    try {
      await assert.rejects(
        () => run("head -c 10000000000 /dev/zero | tr '\\0' x >&2"),
        (error: Fault) => error.reason === 'log-limit',
      );
    } finally {
      clearInterval(watch);
    }
    assert.ok(peak - before < 150 * 1024 ** 2, `${peak - before} bytes more`);
    assert.ok(opened.attempt.console.size <= 31 * 1024 ** 2);
    assert.deepEqual(leftOf(opened), []);
  });
});

test('a limit that is reached while a publication is recorded waits for its end', async () => {
  const place = newPlace();
  const { port1, port2 } = new MessageChannel();
  const asked: number[] = [];
  port1.on('message', (message: Progress) => {
    if (message.type === 'ask') asked.push(message.id);
  });
  const answer = async (): Promise<void> => {
    while (asked.length === 0) await sleep(20);
    port1.postMessage({ type: 'answer', id: asked.shift(), answer: null });
  };
  const limits = { journal: 1024 ** 2, timeout: 1 };
  const attempt = await Attempt.open(testJob(place, { limits }), port2, { uid: 0, architecture: arch() });
  const { context, console } = attempt;
  try {
    const release = context.holdCancel();
    const recorded = context.ask({ type: 'switched', intent: 1, done: true });
    console.output(Buffer.alloc(2 * 1024 ** 2));
    // Long enough for the other limit too.
    await sleep(2000);
    assert.equal(context.signal.aborted, false);
    await answer();
    await recorded;
    release();
    assert.equal((context.signal.reason as Fault).reason, 'log-limit');
    // Who is stopped after that has done its work: it can still give back its lock.
    const registry = { format: 'deb', distribution: 'bookworm', derivative: null } as const;
    const unlocked = context.ask({ type: 'unlock', registry });
    await answer();
    await unlocked;
  } finally {
    await attempt.close();
    console.close();
    port1.close();
    rmSync(place, { recursive: true, force: true });
  }
});

test('captured output beyond its bound ends the command', async () => {
  await inSandbox({}, async run => {
    await assert.rejects(
      () => run('yes', { capture: 100_000 }),
      (error: Fault) => error.reason === 'too-large',
    );
    assert.equal((await run('echo again')).out, 'again\n');
  });
});

test('silence beyond its limit ends a task, output does not let it begin', async () => {
  // A machine that stands still for a while is silent too: the limit is far longer than any of the breaks.
  await inSandbox({ limits: { idleTimeout: 5 } }, async (run, { attempt }) => {
    const { code } = await run('for i in $(seq 30); do echo $i >&2; sleep 0.2; done');
    assert.equal(code, 0);
    attempt.context.lowerLimits({ idleTimeout: 1 }, 'artifact.yml');
    await assert.rejects(
      () => run('sleep 60'),
      (error: Fault) => error.reason === 'timeout-idle',
    );
  });
});

test('disk use beyond its limit ends a task', async () => {
  await inSandbox({ limits: { disk: 20 * 1024 ** 2 } }, async run => {
    await assert.rejects(
      () => run('head -c 60000000 /dev/urandom > /build/big; sleep 1000'),
      (error: Fault) => error.reason === 'disk-full',
    );
  });
});

test('cancel ends every process, those that ignore SIGTERM and those that detach included', async () => {
  await inSandbox({}, async (run, opened) => {
    const running = run(
      'trap "" TERM; (trap "" TERM; setsid sleep 1000 &) ; nohup sleep 1000 & sleep 1000 & echo started >&2; while :; do sleep 1; done',
    );
    let [isOver, began] = [false, 0];
    running.catch(() => (isOver = true));
    await until(() => opened.output().includes('started'));
    await inSandbox({}, async (runOther, other) => {
      const obeying = runOther(
        'trap "echo cleaned >&2; exit 3" TERM; echo started >&2; while :; do sleep 0.1; done',
      );
      obeying.catch(() => undefined);
      await until(() => other.output().includes('started'));
      began = performance.now();
      opened.order({ type: 'cancel', by: 'jane' });
      other.order({ type: 'cancel', by: 'jane' });
      // What obeys ends by itself, and long before the time is up that both are given.
      await assert.rejects(() => obeying, Fault);
      assert.equal(isOver, false);
      assert.match(other.output(), /cleaned/);
    });
    await assert.rejects(
      () => running,
      (error: Fault) => error.reason === 'cancelled' && error.message === 'cancelled by jane',
    );
    const took = performance.now() - began;
    assert.ok(took > 9000, `${took} ms`);
    assert.deepEqual(leftOf(opened), []);
    const group = opened.sent.find(message => message.type === 'group');
    await opened.attempt.close();
    assert.ok(!group?.cgroup || !existsSync(group.cgroup), 'the control group is left');
  });
});

test('a package is built to the same bytes each time, its files root’s, whoever runs us', async () => {
  const build = async (): Promise<string> => {
    let out = '';
    await inSandbox({}, async run => {
      const end = await run(MINI_BUILD, { env: { SOURCE_DATE_EPOCH: '1767225600' } });
      assert.equal(end.code, 0);
      out = end.out;
    });
    return out;
  };
  const first = await build();
  assert.match(first, /-rwxr-xr-x root\/root .*usr\/bin\/mini/);
  assert.equal(process.env.RACKWRIGHT_TEST_PACKAGE ?? (await build()), first);
});

test('what a build leaves in its exchange folder belongs to no other user and is removed with it', async () => {
  const opened = await openAttempt();
  try {
    const sandbox = await opened.attempt.context.openSandbox({
      roots: [root],
      work: join(opened.place, 'sandbox'),
    });
    await sandbox.run([
      'sh',
      '-c',
      'mkdir -m 0 locked; ln -s /etc/shadow link; mkfifo pipe; touch -- -rf "a b"',
    ]);
    assert.equal(lstatSync(join(sandbox.exchange, 'link')).isSymbolicLink(), true);
    await sandbox.close();
    assert.equal(existsSync(join(opened.place, 'sandbox')), false);
  } finally {
    await opened.close();
  }
});
